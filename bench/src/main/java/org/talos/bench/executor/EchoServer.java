// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * A server that answers each request after its handler has blocked. In the model {@code io} the threads are those of
 * the sockets; else there are as many of these as processors, and none of them runs a handler. Thread-safe.
 */
public final class EchoServer {
    static final String MODEL = "TALOS_ECHO_MODEL";
    static final String THREADS = "TALOS_ECHO_THREADS";
    static final String VIRTUAL = "TALOS_ECHO_VIRTUAL";
    static final String LANES = "TALOS_ECHO_LANES";
    static final String MEAN_MICROS = "TALOS_ECHO_MEAN_MICROS";
    static final String MOST_MICROS = "TALOS_ECHO_MOST_MICROS";
    static final String SEED = "TALOS_ECHO_SEED";

    private final ServerTally tally = new ServerTally();
    private final List<String> keys;
    private final BlockingDelays delays;

    private EchoServer(List<String> keys, BlockingDelays delays) {
        this.keys = keys;
        this.delays = delays;
    }

    /** Listens on a free port of 127.0.0.1 until the process is ended; the environment says how. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> environment = System.getenv();
        HandlerModel model = HandlerModel.valueOf(given(environment, MODEL).toUpperCase(Locale.ROOT));
        int threads = (int) number(environment, THREADS);
        boolean virtual = Boolean.parseBoolean(given(environment, VIRTUAL));
        long seed = number(environment, SEED);
        EchoServer server = new EchoServer(
                Keys.independent((int) number(environment, LANES), seed),
                new BlockingDelays(
                        Duration.ofNanos(1_000 * number(environment, MEAN_MICROS)),
                        Duration.ofNanos(1_000 * number(environment, MOST_MICROS)),
                        seed));
        int loops = model == HandlerModel.IO ? threads : Runtime.getRuntime().availableProcessors();
        server.serve(loops, HandlerPool.of(model, threads, virtual));
    }

    private static String given(Map<String, String> environment, String name) {
        String value = environment.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is not set");
        }
        return value;
    }

    private static long number(Map<String, String> environment, String name) {
        return Long.parseLong(given(environment, name));
    }

    private void serve(int loopCount, Consumer<EchoRequest> handlers) throws IOException {
        NamedThreads threads = new NamedThreads("io");
        List<IoLoop> loops = new ArrayList<>();
        for (int i = 0; i < loopCount; i++) {
            loops.add(new IoLoop(threads));
        }
        try (ServerSocketChannel acceptor = ServerSocketChannel.open()) {
            acceptor.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(
                    "talos: serving tcp://127.0.0.1:" + acceptor.socket().getLocalPort());
            for (int next = 0; ; next++) {
                IoLoop loop = loops.get(next % loopCount);
                SocketChannel channel = acceptor.accept();
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                loop.register(channel, new EchoConnection(channel, loop, this, handlers));
            }
        }
    }

    ServerTally tally() {
        return tally;
    }

    EchoRequest request(EchoConnection connection, Frame.Head head, byte[] frame) {
        return new EchoRequest(connection, keys.get(head.lane()), frame, delays.nanosOf(head.number()), tally);
    }
}
