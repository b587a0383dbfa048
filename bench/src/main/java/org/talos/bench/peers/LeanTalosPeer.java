// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.talos.bench.stream.StreamConnection;
import org.talos.bench.synchronous.LeanClient;
import org.talos.bench.synchronous.LeanLoad;
import org.talos.bench.synchronous.SynchronousSettings;
import org.talos.client.ClientConfig;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * The protocol of streams for a lean load: the puts and gets of {@link TalosPeer}, with the identity of a producer, but
 * over a stream for each putter and each getter. Only the topic is made, and counted, through the SDK.
 *
 * <p>Confined: the main thread, but for putters and getters.
 */
public final class LeanTalosPeer implements LeanClient {
    private static final int CREDENTIALS = SynchronousSettings.ARGUMENTS;
    private static final int USUAL_WINDOW = 2 << 20; // of the SDK
    private static final int PUTS_A_WINDOW = 4; // at least
    private static final int LOOKS = 300;
    private static final int PAUSE_MILLIS = 100;

    private final URI server;
    private final Credential credential;
    private final TalosClient client;
    private final TopicDescription topic;
    private final int window;

    private LeanTalosPeer(URI server, ClientConfig config, SynchronousSettings settings) throws TalosClientException {
        this.server = server;
        credential = new Credential(config.accessKey(), config.secretKey());
        window = Math.max(USUAL_WINDOW, PUTS_A_WINDOW * settings.size());
        client = new TalosClient(config);
        topic = new TalosAdmin(client).createTopic(NewTopic.of(SynchronousSettings.TOPIC, settings.partitions()));
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}, then the file with the key
     */
    public static void main(String[] arguments) {
        LeanLoad.main(arguments, settings -> {
            URI server = URI.create(settings.server());
            ClientConfig config = ClientConfig.of(server, Path.of(arguments[CREDENTIALS]));
            LeanTalosPeer peer = new LeanTalosPeer(server, config, settings);
            peer.awaitPartitions();
            return peer;
        });
    }

    /** Waits until the server serves all partitions: no put is tried twice later. */
    private void awaitPartitions() throws TalosClientException, InterruptedException {
        for (int look = 1; ; look++) {
            try {
                var unused = stored();
                return;
            } catch (RetriableException e) {
                if (look == LOOKS) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(server.getHost(), server.getPort());
    }

    @Override
    public Connected<Putter> putter(int partition, byte[] message) throws IOException {
        StreamConnection stream = StreamConnection.open(
                address(), server.getAuthority(), credential, topic.name(), window, "lean-" + partition);
        return new Connected<>(stream.channel(), new LeanPut(partition, message));
    }

    @Override
    public Connected<Getter> getter(int partition, byte[] message) throws IOException {
        StreamConnection stream =
                StreamConnection.open(address(), server.getAuthority(), credential, topic.name(), window);
        return new Connected<>(stream.channel(), new LeanGet(window, partition, message));
    }

    @Override
    public long stored() throws TalosClientException {
        return new TalosAdmin(client)
                .offsets(topic).stream().mapToLong(PartitionOffsets::messages).sum();
    }

    @Override
    public void close() {
        client.close();
    }
}
