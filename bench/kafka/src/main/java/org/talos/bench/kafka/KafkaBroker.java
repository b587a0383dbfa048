// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.talos.bench.synchronous.Lifetime;

/**
 * One Kafka server, broker and controller, with its defaults but for what a single one needs, on an empty directory.
 *
 * <p>Confined: main.
 */
public final class KafkaBroker {
    private static final String HOST = "127.0.0.1";
    private static final Duration LONGEST_START = Duration.ofMinutes(2);

    private KafkaBroker() {}

    /**
     * Listens on a free port of 127.0.0.1 until it is ended.
     *
     * @param arguments the directory, then settings of the broker: KEY=VALUE
     */
    public static void main(String[] arguments) throws Exception {
        Lifetime.asLongAsItsParent();
        Thread start = Lifetime.atMost(LONGEST_START);
        String directory = arguments[0];
        int port = freePort();
        Map<String, String> settings = settings(directory, port, freePort());
        for (int i = 1; i < arguments.length; i++) {
            String[] parts = arguments[i].split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        format(directory, settings);
        new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM).startup();
        start.interrupt();
        System.out.println("talos: serving http://" + HOST + ":" + port); // the line that SpawnedServer waits for
    }

    /** As Kafka's own tool, by a file of settings. */
    private static void format(String directory, Map<String, String> settings) throws IOException {
        Path file = Path.of(directory, "server.properties");
        List<String> lines = settings.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .toList();
        Files.write(file, lines);
        String[] arguments = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
        int code = StorageTool.execute(arguments, System.err);
        if (code != 0) {
            throw new IOException("Kafka's directory cannot be formatted: " + directory);
        }
    }

    private static Map<String, String> settings(String directory, int port, int controllerPort) {
        Map<String, String> settings = new HashMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("log.dirs", Path.of(directory, "log").toString());
        settings.put("listeners", "PLAINTEXT://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://" + HOST + ":" + port);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        return settings;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
