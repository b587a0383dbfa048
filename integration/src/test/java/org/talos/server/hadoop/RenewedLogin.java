// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.time.Instant;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;

/**
 * Writes a file with one ticket, and the rest of it with the next, which the login has asked for in time. A process of
 * its own. Confined: its main thread.
 */
final class RenewedLogin {
    private RenewedLogin() {}

    /** With a server's configuration. */
    public static void main(String[] arguments) throws Exception {
        ServerConfig config = ConfigLoader.load(Path.of(arguments[0]), Map.of());
        try (HadoopLogin login = HadoopLogin.open(config);
                FileSystem files = FileSystem.newInstance(ClientConfiguration.hdfs(config.hdfs()))) {
            var file = new org.apache.hadoop.fs.Path("/user/talos/renewed");
            Instant first = ticketTime();
            try (FSDataOutputStream out = files.create(file)) {
                out.write("one ticket, ".getBytes(UTF_8));
                out.hflush();
                await().atMost(60, SECONDS).until(() -> {
                    login.renewIfDue();
                    return ticketTime().isAfter(first);
                });
                out.write("another ticket".getBytes(UTF_8));
                out.hflush();
            }
            System.out.println("as " + login.user() + " length="
                    + files.getFileStatus(file).getLen() + " failure=" + login.failure());
        }
    }

    @SuppressWarnings("removal") // there is no other way to it in Java 17
    private static Instant ticketTime() throws Exception {
        PrivilegedAction<Instant> endOfTicket =
                () -> Subject.getSubject(java.security.AccessController.getContext())
                        .getPrivateCredentials(KerberosTicket.class)
                        .stream()
                        .filter(ticket -> ticket.getServer().getName().startsWith("krbtgt/"))
                        .map(ticket -> ticket.getAuthTime().toInstant())
                        .findFirst()
                        .orElseThrow();
        return UserGroupInformation.getLoginUser().doAs(endOfTicket);
    }
}
