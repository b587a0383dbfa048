// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.util.List;
import org.apache.rocketmq.client.exception.MQClientException;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;
import org.talos.bench.synchronous.LeanLoad;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * RocketMQ's protocol for a lean load: the puts and gets of {@link RocketMqPeer}, with a connection for each putter and
 * each getter. Only the topic is made, and counted, through RocketMQ's client.
 *
 * <p>Confined: the main thread, but for putters and getters.
 */
public final class LeanRocketMqPeer implements LeanClient {
    private final RocketMqPeer library;
    private final FramedServer broker;

    private LeanRocketMqPeer(RocketMqPeer library) throws MQClientException {
        this.library = library;
        broker = FramedServer.of(library.broker());
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments) {
        System.setProperty(
                "user.home", SynchronousSettings.of(List.of(arguments)).folder()); // logs go there
        LeanLoad.main(arguments, settings -> new LeanRocketMqPeer(RocketMqPeer.open(settings)));
    }

    @Override
    public Connected<Putter> putter(int partition, byte[] message) throws IOException {
        SendFrame frame = new SendFrame(SynchronousSettings.TOPIC, library.queue(partition), message);
        return new Connected<>(broker.connect(), frame);
    }

    @Override
    public Connected<Getter> getter(int partition, byte[] message) throws IOException {
        return new Connected<>(broker.connect(), new PullFrame(SynchronousSettings.TOPIC, library.queue(partition)));
    }

    @Override
    public long stored() throws MQClientException {
        return library.stored();
    }

    @Override
    public void close() {
        library.close();
    }
}
