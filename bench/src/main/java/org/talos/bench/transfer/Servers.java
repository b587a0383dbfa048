// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.bench.variant.TransferPools;
import org.talos.launcher.local.ServerCertificates;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.config.TransferConfig;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.client.ClientConnection;
import org.talos.server.transfer.client.Transfer;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.TransferKey;

/**
 * The transfer ports of several servers, and a server that forwards to them, all in this process. Confined: the main
 * thread.
 */
final class Servers implements AutoCloseable {
    private static final int KEY_BYTES = 32;

    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private final MemoryBudget memory = new MemoryBudget(1 << 30);
    private final List<TransferServer> ports = new ArrayList<>();
    private final TransferConfig config;
    private final TransferKey key;
    private final TransferTls tls;
    private final Transfer transfer;

    /** @param certificates with which the servers talk TLS, if they do */
    Servers(TransferPools pools, Optional<ServerCertificates> certificates) throws IOException {
        TransferTlsConfig files = certificates
                .map(each -> new TransferTlsConfig(
                        TlsMode.REQUIRE,
                        each.certificate().toString(),
                        each.key().toString(),
                        each.trusted().toString(),
                        true,
                        ""))
                .orElse(new TransferTlsConfig(TlsMode.NONE, "", "", "", true, ""));
        tls = TransferTls.start(files, SystemTime.wallClock());
        config = new TransferConfig("127.0.0.1", 0, "", "", files, 10_000, Duration.ofSeconds(5), 32 << 20, 1 << 30);
        byte[] secret = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(secret);
        key = new TransferKey(secret);
        transfer = new Transfer(
                config,
                pools.senders(config),
                new ClientConnection.Identity(key, tls),
                memory,
                timers,
                ticker,
                metrics());
    }

    private TransferMetrics metrics() {
        return new TransferMetrics(new Metrics(ticker));
    }

    /** Adds a server that answers each put after this time. */
    PartitionRequests answeringAfter(Duration after) throws IOException {
        AnsweringServer local = new AnsweringServer(after, timers, ticker);
        TransferServer port = TransferServer.start(config, key, tls, local, memory, ticker, metrics());
        ports.add(port);
        String address = "127.0.0.1:" + port.port();
        return transfer.to(new ClusterMember(address, address, address));
    }

    @Override
    public void close() {
        transfer.close();
        ports.forEach(TransferServer::close);
        tls.close();
        timers.close();
    }
}
