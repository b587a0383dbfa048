// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.KerberosConfig;

@Timeout(60)
final class HadoopLoginTest {
    private static final KerberosConfig NONE = new KerberosConfig("", "");

    @TempDir
    private Path directory;

    /** Hadoop keeps all of this for the whole process. */
    @AfterEach
    void forgetTheLogin() {
        UserGroupInformation.reset();
    }

    @Test
    void withoutPrincipalItIsTheUserOfTheProcess() throws Exception {
        try (HadoopLogin login = HadoopLogin.open(NONE, authentication("simple"))) {
            login.renewIfDue();

            assertThat(login.failure()).isEmpty();
            assertThat(login.user()).isNotBlank();
            assertThat(UserGroupInformation.isSecurityEnabled()).isFalse();
        }
    }

    @Test
    void principalForAClusterThatAsksForNoneIsRefused() {
        KerberosConfig kerberos = new KerberosConfig("talos@EXAMPLE.ORG", "talos.keytab");

        assertThatThrownBy(() -> HadoopLogin.open(kerberos, authentication("simple")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hadoop.security.authentication is simple (expected: kerberos");
    }

    @Test
    void missingKeytabIsNamed() {
        Path keytab = directory.resolve("talos.keytab");
        KerberosConfig kerberos = new KerberosConfig("talos@EXAMPLE.ORG", keytab.toString());

        assertThatThrownBy(() -> HadoopLogin.open(kerberos, authentication("kerberos")))
                .isInstanceOf(IOException.class)
                .hasMessage("kerberos.keytab: " + keytab + " is missing or cannot be read");
    }

    @Test
    void failureIsReportedUntilATicketIsRenewed() {
        Deque<Optional<IOException>> answers = new ArrayDeque<>();
        try (HadoopLogin login = HadoopLogin.of(() -> {
            Optional<IOException> answer = answers.remove();
            if (answer.isPresent()) {
                throw answer.get();
            }
        })) {
            answers.add(Optional.of(new IOException("the KDC is away")));
            login.renewIfDue();
            assertThat(login.failure()).contains("the Kerberos ticket cannot be renewed: the KDC is away");

            answers.add(Optional.of(new IOException("the key is old")));
            login.renewIfDue();
            assertThat(login.failure()).contains("the Kerberos ticket cannot be renewed: the key is old");

            answers.add(Optional.empty());
            login.renewIfDue();
            assertThat(login.failure()).isEmpty();
        }
    }

    @Test
    void errorEndsNoRenewal() {
        try (HadoopLogin login = HadoopLogin.of(() -> {
            throw new LinkageError("on purpose");
        })) {
            login.renewIfDue(); // by an executor that repeats nothing which has thrown

            assertThat(login.failure()).contains("the Kerberos ticket cannot be renewed: on purpose");
        }
    }

    private static Configuration authentication(String kind) {
        Configuration client = new Configuration(false);
        client.set("hadoop.security.authentication", kind);
        return client;
    }
}
