// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import java.nio.file.Path;
import java.util.SplittableRandom;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.server.testing.TestServer;

/**
 * A server of this JVM with logs in HDFS, and a load on it. Its metadata is on the local disk, so that another one can
 * be started on the same after it. Confined: the test.
 */
final class LoadedServer implements AutoCloseable {
    private static final int PARTITIONS = 4;

    private final Path data;
    private final Settings settings;
    private final Load load;
    private TestServer server;

    private LoadedServer(Path data, Settings settings, TestServer server, Load load) {
        this.data = data;
        this.settings = settings;
        this.server = server;
        this.load = load;
    }

    /** Starts both. */
    static LoadedServer start(Path directory, Settings settings) throws Exception {
        long seed = Long.getLong("talos.faults.seed", System.nanoTime());
        System.out.println("-Dtalos.faults.seed=" + seed);
        Path data = directory.resolve("data");
        TestServer server = TestServer.start(data, settings.prepared().values());
        TopicDescription topic = server.admin().createTopic(NewTopic.of("faults", PARTITIONS));
        Load load = new Load(topic, new SplittableRandom(seed));
        load.start(server.endpoint());
        return new LoadedServer(data, settings, server, load);
    }

    Load load() {
        return load;
    }

    TestServer server() {
        return server;
    }

    /** Ends the load and checks the stored messages: at this server, and at one that is started in its place. */
    void stopAndCheck() throws Exception {
        load.stop();
        System.out.println("acknowledged=" + load.acknowledged() + " failures=" + load.failures());
        load.check(server.endpoint());
        server.close();
        server = TestServer.start(data, settings.values());
        load.check(server.endpoint());
    }

    @Override
    public void close() {
        try {
            load.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.close();
    }
}
