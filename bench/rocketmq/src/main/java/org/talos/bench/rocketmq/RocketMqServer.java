// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.broker.BrokerStartup;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.talos.bench.synchronous.Lifetime;

/**
 * One RocketMQ broker with its name server, in one process, on an empty directory: defaults but for what a single one
 * needs, and for how long a put may wait in front of the broker's threads. By default 200 ms, after which it is refused
 * as "broker busy": a disk that is held up would be errors instead of latency.
 *
 * <p>Confined: main.
 */
public final class RocketMqServer {
    private static final String HOST = "127.0.0.1";
    private static final Duration LONGEST_START = Duration.ofMinutes(2);
    private static final int BELOW_BROKER = 2; // of a second listener, for clients of high priority
    private static final int PORTS = 5; // name server, second listener, one between, broker, replicas

    private RocketMqServer() {}

    /**
     * Listens on free ports of 127.0.0.1 until it is ended.
     *
     * @param arguments the directory, then settings of the broker: KEY=VALUE
     */
    public static void main(String[] arguments) throws Exception {
        Lifetime.asLongAsItsParent();
        Thread start = Lifetime.atMost(LONGEST_START);
        Path directory = Path.of(arguments[0]).toAbsolutePath();
        System.setProperty("user.home", directory.toString()); // logs go there
        int nameServer = FreeRun.of(PORTS);
        int broker = nameServer + 1 + BELOW_BROKER;
        startNameServer(directory, nameServer);
        Map<String, String> settings = settings(directory, nameServer, broker);
        for (int i = 1; i < arguments.length; i++) {
            String[] parts = arguments[i].split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        String[] options = {"-c", write(directory, settings).toString()};
        var unused = BrokerStartup.start(BrokerStartup.createBrokerController(options)); // exits if it cannot
        start.interrupt();
        // the line that SpawnedServer waits for; nobody reads what comes behind it
        System.out.println("talos: serving http://" + HOST + ":" + nameServer);
        System.setOut(System.err);
    }

    private static void startNameServer(Path directory, int port) throws Exception {
        NamesrvConfig config = new NamesrvConfig();
        config.setRocketmqHome(directory.toString());
        config.setKvConfigPath(directory.resolve("kvConfig.json").toString());
        NettyServerConfig netty = new NettyServerConfig();
        netty.setBindAddress(HOST);
        netty.setListenPort(port);
        NamesrvController nameServer = new NamesrvController(config, netty);
        if (!nameServer.initialize()) {
            throw new IOException("RocketMQ's name server cannot be initialized");
        }
        nameServer.start();
    }

    private static Map<String, String> settings(Path directory, int nameServer, int broker) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("rocketmqHome", directory.toString());
        settings.put("namesrvAddr", HOST + ":" + nameServer);
        settings.put("brokerIP1", HOST);
        settings.put("brokerIP2", HOST);
        settings.put("bindAddress", HOST);
        settings.put("listenPort", Integer.toString(broker));
        settings.put("brokerName", "bench");
        settings.put("storePathRootDir", directory.resolve("store").toString());
        settings.put(
                "storePathCommitLog",
                directory.resolve("store").resolve("commitlog").toString());
        settings.put("waitTimeMillsInSendQueue", "30000");
        settings.put("diskMaxUsedSpaceRatio", "95"); // of the whole disk, whoever uses it
        return settings;
    }

    private static Path write(Path directory, Map<String, String> settings) throws IOException {
        List<String> lines = settings.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .toList();
        return Files.write(directory.resolve("broker.conf"), lines);
    }
}
