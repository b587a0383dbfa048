// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.hadoop.minikdc.MiniKdc;
import org.talos.devcluster.FreePorts;

/**
 * A KDC in this JVM, and a NameNode and a DataNode, each a process, that talk to nobody without a ticket.
 *
 * <p>Confined: to a test.
 */
final class SecureHdfs implements AutoCloseable {
    private static final String HOST = "localhost";

    private final Path directory;
    private final MiniKdc kdc;
    private final Path daemons;
    private final int rpc = FreePorts.next();
    private final int http = FreePorts.next();
    private final Deque<Process> running = new ArrayDeque<>();

    /** Starts all of it; up to a minute. */
    SecureHdfs(Path directory, int ticketSeconds) throws Exception {
        this.directory = directory;
        daemons = Path.of(System.getProperty("talos.root"), "devcluster/daemons/target");
        Properties settings = MiniKdc.createConf();
        settings.setProperty(MiniKdc.MAX_TICKET_LIFETIME, Integer.toString(ticketSeconds));
        settings.setProperty(MiniKdc.MIN_TICKET_LIFETIME, "1");
        kdc = new MiniKdc(
                settings, Files.createDirectory(directory.resolve("kdc")).toFile());
        try {
            kdc.start();
            start();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void start() throws Exception {
        kdc.createPrincipal(keytab("daemons").toFile(), "hdfs/" + HOST, "HTTP/" + HOST);
        kdc.createPrincipal(keytab("talos").toFile(), "talos/" + HOST);
        Files.createDirectory(clientFiles());
        for (String page : List.of("hdfs", "datanode", "secondary", "static")) {
            Files.createDirectories(directory.resolve("daemons/webapps").resolve(page)); // empty: nobody looks
        }
        write(clientFiles().resolve("core-site.xml"), core());
        write(clientFiles().resolve("hdfs-site.xml"), clients());
        write(directory.resolve("daemons/core-site.xml"), core());
        write(directory.resolve("daemons/hdfs-site.xml"), daemonSettings());
        Files.writeString(directory.resolve("daemons/log4j.properties"), """
                log4j.rootLogger=INFO, console
                log4j.appender.console=org.apache.log4j.ConsoleAppender
                log4j.appender.console.layout=org.apache.log4j.PatternLayout
                log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p %c{2}: %m%n
                """);
        run("namenode.NameNode", "-format", "-nonInteractive", "-clusterid", "secure");
        assertThat(running.pop().waitFor(60, SECONDS)).isTrue();
        run("namenode.NameNode");
        run(
                "datanode.DataNode",
                "-Ddfs.datanode.address=127.0.0.1:" + FreePorts.next(),
                "-Ddfs.datanode.http.address=127.0.0.1:" + FreePorts.next(),
                "-Ddfs.datanode.ipc.address=127.0.0.1:" + FreePorts.next());
        await("a secure HDFS, see " + directory).atMost(90, SECONDS).until(this::isReady);
    }

    Path clientFiles() {
        return directory.resolve("client");
    }

    Path keytab(String name) {
        return directory.resolve(name + ".keytab");
    }

    String principal() {
        return "talos/" + HOST + "@" + kdc.getRealm();
    }

    /** The option by which a JVM finds the KDC. */
    String krb5() {
        return "-Djava.security.krb5.conf=" + kdc.getKrb5conf();
    }

    /** A server's configuration that has its logs here. */
    Path talosConfig() throws IOException {
        return Files.writeString(
                directory.resolve("talos.yaml"),
                String.format(
                        Locale.ROOT, """
                dataDirectory: %s
                storage: {logs: hdfs}
                hdfs: {configDirectory: %s, root: /user/talos/logs, replication: 1}
                kerberos: {principal: %s, keytab: %s}
                """, directory.resolve("data"), clientFiles(), principal(), keytab("talos")));
    }

    /** As HDFS' own superuser would: a place of their own for the servers. */
    void makeHome() throws Exception {
        String setUp = "org.talos.integration.SecureHome";
        assertThat(java(
                                setUp,
                                clientFiles().toString(),
                                "hdfs/" + HOST + "@" + kdc.getRealm(),
                                keytab("daemons").toString())
                        .waitFor(60, SECONDS))
                .isTrue();
    }

    /** Runs a class of this class path in a JVM of its own: Hadoop's login is for a whole process. */
    Process java(String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                krb5(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private Map<String, String> core() {
        return new TreeMap<>(Map.of(
                "fs.defaultFS", "hdfs://" + HOST + ":" + rpc,
                "hadoop.security.authentication", "kerberos",
                "hadoop.security.authorization", "true",
                "hadoop.kerberos.min.seconds.before.relogin", "0",
                "hadoop.security.auth_to_local", "RULE:[2:$1]\nDEFAULT"));
    }

    private Map<String, String> clients() {
        return new TreeMap<>(Map.of(
                "dfs.namenode.kerberos.principal",
                "hdfs/" + HOST + "@" + kdc.getRealm(),
                "dfs.data.transfer.protection",
                "authentication"));
    }

    private Map<String, String> daemonSettings() {
        Map<String, String> all = clients();
        String keytab = keytab("daemons").toString();
        all.put("dfs.namenode.keytab.file", keytab);
        all.put("dfs.datanode.keytab.file", keytab);
        all.put("dfs.datanode.kerberos.principal", "hdfs/" + HOST + "@" + kdc.getRealm());
        all.put("dfs.web.authentication.kerberos.principal", "HTTP/" + HOST + "@" + kdc.getRealm());
        all.put("dfs.web.authentication.kerberos.keytab", keytab);
        all.put("dfs.block.access.token.enable", "true");
        all.put("ignore.secure.ports.for.testing", "true"); // without root there are no ports below 1024
        all.put("dfs.namenode.rpc-address", HOST + ":" + rpc);
        all.put("dfs.namenode.http-address", HOST + ":" + http);
        all.put("dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
        all.put("dfs.datanode.data.dir", directory.resolve("blocks").toUri().toString());
        all.put("dfs.namenode.safemode.extension", "0");
        all.put("dfs.replication", "1");
        return all;
    }

    private void run(String daemon, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                krb5(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
                "-Dtalos.devcluster.attached=true",
                "-cp",
                directory.resolve("daemons") + File.pathSeparator + daemons.resolve("classes") + File.pathSeparator
                        + daemons.resolve("lib") + "/*",
                "org.talos.devcluster.daemon.DaemonMain",
                "org.apache.hadoop.hdfs.server." + daemon));
        command.addAll(Arrays.asList(arguments));
        File log = directory.resolve(daemon + ".log").toFile();
        running.push(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start());
    }

    private boolean isReady() throws InterruptedException {
        URI page =
                URI.create("http://" + HOST + ":" + http + "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState");
        try {
            String state = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
                    .body();
            return state.contains("\"NumLiveDataNodes\" : 1") && state.contains("\"FSState\" : \"Operational\"");
        } catch (IOException e) {
            return false; // not yet
        }
    }

    private static void write(Path file, Map<String, String> settings) throws IOException {
        StringBuilder xml = new StringBuilder("<configuration>\n");
        settings.forEach((name, value) -> xml.append("<property><name>")
                .append(name)
                .append("</name><value>")
                .append(value)
                .append("</value></property>\n"));
        Files.writeString(file, xml.append("</configuration>\n"));
    }

    @Override
    public void close() {
        for (Process each : running) {
            each.destroy();
            each.onExit().completeOnTimeout(each, 10, SECONDS).join();
            each.destroyForcibly();
        }
        kdc.stop();
    }
}
