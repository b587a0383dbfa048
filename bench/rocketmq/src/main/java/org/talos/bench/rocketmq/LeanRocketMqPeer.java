// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Consumer;
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
    public Putter putter(int partition, byte[] message) throws IOException {
        SendFrame frame = new SendFrame(SynchronousSettings.TOPIC, library.queue(partition), message);
        return new ToQueue(broker.connect(), frame);
    }

    @Override
    public Getter getter(int partition, byte[] message) throws IOException {
        return new FromQueue(broker.connect(), new PullFrame(SynchronousSettings.TOPIC, library.queue(partition)));
    }

    @Override
    public long stored() throws MQClientException {
        return library.stored();
    }

    @Override
    public void close() {
        library.close();
    }

    /** Puts to a queue. Confined: the thread of the load. */
    private record ToQueue(SocketChannel channel, SendFrame frame) implements Putter {
        @Override
        public ByteBuffer put(long number, long nanos) {
            return frame.put(number, nanos);
        }

        @Override
        public boolean acknowledged(ByteBuffer in) throws IOException {
            return frame.acknowledged(in);
        }
    }

    /** Gets from a queue. Confined: the thread of the load. */
    private record FromQueue(SocketChannel channel, PullFrame frame) implements Getter {
        @Override
        public ByteBuffer request() {
            return frame.request();
        }

        @Override
        public void read(ByteBuffer in, Consumer<ByteBuffer> messages) throws IOException {
            frame.read(in, messages);
        }
    }
}
