// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.config.TransferConfig;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Put;
import org.talos.server.log.StoredBlock;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.client.ClientConnection;
import org.talos.server.transfer.client.RequestSenders;
import org.talos.server.transfer.client.Transfer;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.TransferKey;
import org.talos.thrift.ErrorCode;

/** Transfer ports and the servers that send to them, over real sockets, with sample requests. Confined: one test. */
public final class TransferFixture {
    public static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 3);
    public static final TransferKey KEY = new TransferKey("a key that all the servers share".getBytes(UTF_8));
    public static final Ticker TICKER = SystemTime.ticker();
    public static final TransferTlsConfig NO_TLS = new TransferTlsConfig(TlsMode.NONE, "", "", "", true, "");
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10); // no test waits for it

    public final TimerWheel timers = TimerWheel.started(TICKER);
    public final MemoryBudget memory = new MemoryBudget(64 << 20);
    private final List<AutoCloseable> open = new ArrayList<>();

    /** Small bounds, so that tests reach them. */
    public static TransferConfig config(int port, int queue) {
        return config(port, NO_TLS, queue, CONNECT_TIMEOUT);
    }

    private static TransferConfig config(int port, TransferTlsConfig tls, int queue, Duration timeout) {
        return TestConfig.of(TransferConfig.class)
                .with("port", port)
                .with("tls", tls)
                .with("queuePerHost", queue)
                .with("connectTimeout", timeout)
                .with("maxFrameBytes", 16 << 20)
                .with("maxMemoryBytes", 64 << 20)
                .create();
    }

    public static TransferConfig config(int port, TransferTlsConfig tls) {
        return config(port, tls, 20, CONNECT_TIMEOUT);
    }

    public static TransferConfig config() {
        return config(CONNECT_TIMEOUT);
    }

    /** @param connectTimeout short where the other side does not prove the key */
    public static TransferConfig config(Duration connectTimeout) {
        return config(0, NO_TLS, 20, connectTimeout); // one user alone has ten places
    }

    public TransferServer server(PartitionRequests local) throws IOException {
        return server(0, local);
    }

    public TransferServer server(int port, PartitionRequests local) throws IOException {
        return server(config(port, 10), local);
    }

    public TransferServer server(TransferConfig config, PartitionRequests local) throws IOException {
        return server(config, tls(config.tls()), local);
    }

    public TransferServer server(TransferConfig config, TransferTls tls, PartitionRequests local) throws IOException {
        return keep(TransferServer.start(
                config, KEY, tls, local, memory, TICKER, new TransferMetrics(new Metrics(TICKER))));
    }

    public TransferTls tls(TransferTlsConfig config) throws IOException {
        return keep(TransferTls.start(config, SystemTime.wallClock()));
    }

    public Transfer transfer(TransferConfig config) throws IOException {
        return transfer(config, KEY, memory);
    }

    public Transfer transfer(TransferConfig config, TransferKey key, MemoryBudget budget) throws IOException {
        return transfer(config, key, tls(config.tls()), budget);
    }

    public Transfer transfer(TransferConfig config, TransferKey key, TransferTls tls, MemoryBudget budget) {
        return keep(new Transfer(
                config,
                RequestSenders.oneConnection(config),
                new ClientConnection.Identity(key, tls),
                budget,
                timers,
                TICKER,
                new TransferMetrics(new Metrics(TICKER))));
    }

    public <C extends AutoCloseable> C keep(C part) {
        open.add(0, part);
        return part;
    }

    public static ClusterMember at(String id, int port) {
        return new ClusterMember(id, "127.0.0.1:1", "127.0.0.1:" + port);
    }

    public static ForwardContext context(Duration left) {
        return new ForwardContext("alice", TICKER.nanos() + left.toNanos());
    }

    public static ForwardContext context() {
        return context(Duration.ofSeconds(30));
    }

    public static Put put(String sequenceId, byte[]... blocks) {
        List<Block> all = new ArrayList<>();
        for (byte[] each : blocks) {
            all.add(new Block(1, 2, 3, ByteBuffer.wrap(new byte[] {7}), ByteBuffer.wrap(each)));
        }
        return new Put(sequenceId, Put.Origin.REPEATED, all);
    }

    public static Put put(String sequenceId) {
        return put(sequenceId, new byte[] {1, 2, 3});
    }

    public static StoredBlock block(long offset, byte[] bytes) {
        return new StoredBlock(
                offset, 1_700_000_000_000L, new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(bytes)));
    }

    public static ReadRequest read(Duration wait) {
        return new ReadRequest(17, new BlockLimits(100, 10 << 20), 1, wait.toNanos());
    }

    public static AppendResult stored(long offset) {
        return new AppendResult(offset, () -> {});
    }

    public static <R> R result(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    /** Returns the exception of a failed request. */
    public static TalosException failure(CompletionStage<?> stage) {
        ExecutionException failure = catchThrowableOfType(
                ExecutionException.class, () -> stage.toCompletableFuture().get(20, TimeUnit.SECONDS));
        assertThat(failure).hasCauseInstanceOf(TalosException.class);
        return requireNonNull((TalosException) failure.getCause());
    }

    public static void assertFails(CompletionStage<?> stage, ErrorCode code, Effect effect) {
        TalosException actual = failure(stage);
        assertThat(actual.code()).isEqualTo(code);
        assertThat(actual.effect()).isEqualTo(effect);
    }

    public void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        timers.close();
    }
}
