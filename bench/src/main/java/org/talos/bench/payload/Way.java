// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.talos.launcher.local.SpawnedServer;

/**
 * The network path from clients to processes of this machine, with or without a delay in each direction: of packets by
 * the kernel if this process has a network of its own and the kernel has netem, else of bytes by a relay for each
 * process.
 *
 * <p>Confined: the sweep's thread.
 */
final class Way implements AutoCloseable {
    private static final long COMMAND_SECONDS = 10;

    private final int delayMillis;
    private final boolean netem;
    private final Path log;
    private final Map<InetSocketAddress, SpawnedServer> relays = new HashMap<>();

    private Way(int delayMillis, boolean netem, Path log) {
        this.delayMillis = delayMillis;
        this.netem = netem;
        this.log = log;
    }

    static Way open(int delayMillis, boolean netem, Path log) throws IOException {
        Way way = new Way(delayMillis, netem, log);
        if (netem && delayMillis > 0) {
            // Without room for all that is on its way, netem would drop packets instead of delaying them.
            tc("replace", "dev", "lo", "root", "netem", "delay", delayMillis + "ms", "limit", "1000000");
        }
        return way;
    }

    /** Returns the address at which a process is reached over this way. */
    InetSocketAddress to(InetSocketAddress process) throws IOException {
        if (netem || delayMillis == 0) {
            return process;
        }
        SpawnedServer relay = relays.get(process);
        if (relay == null) {
            relay = SpawnedServer.start(
                    TcpRelay.class.getName(),
                    List.of("-Xmx1g"),
                    Map.of(
                            TcpRelay.PORT_VARIABLE,
                            Integer.toString(process.getPort()),
                            TcpRelay.DELAY_VARIABLE,
                            Integer.toString(delayMillis)),
                    log);
            relays.put(process, relay);
        }
        return address(relay.uri());
    }

    /** The address of a process that said where it listens. */
    static InetSocketAddress address(URI uri) {
        return new InetSocketAddress(uri.getHost(), uri.getPort());
    }

    @Override
    public void close() throws IOException {
        for (SpawnedServer relay : relays.values()) {
            relay.close();
        }
        if (netem && delayMillis > 0) {
            tc("del", "dev", "lo", "root");
        }
    }

    private static void tc(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("tc", "qdisc"));
        command.addAll(List.of(arguments));
        Process tc = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            if (!tc.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || tc.exitValue() != 0) {
                throw new IOException("failed: " + String.join(" ", command));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            tc.destroy();
        }
    }
}
