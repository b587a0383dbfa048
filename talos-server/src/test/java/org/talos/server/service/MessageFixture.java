// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.message.MessageBlocks;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.auth.Principal;
import org.talos.server.auth.UserAdmin;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.KnownCaller;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.ServiceRequest;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.local.LocalSegmentStore;
import org.talos.server.testing.AmpleMemory;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;

/**
 * The services of one server of a cluster over real stores; what others serve is only recorded. Calls go in and come
 * out as the front end has them: encoded.
 */
abstract class MessageFixture {
    static final String GO = "Go-SDK/v1.0.0 Go/linux-amd64-go1.22";
    static final String OURS = "Talos-Java/0.1.0 Java/17";
    static final String JAVA = "Java-SDK/1.0.0 Java/1.8";
    static final Principal ANN =
            new Principal("ann", "AKANN", false, false, Set.of("ann"), Principal.Memberships.NONE, null);
    static final Principal BOB =
            new Principal("bob", "AKBOB", false, false, Set.of("bob"), Principal.Memberships.NONE, null);

    @TempDir
    Path directory;

    Ticker ticker = SystemTime.ticker();
    InstantSource clock = SystemTime.wallClock();
    final PlacedCoordinator coordinator = new PlacedCoordinator();
    final RecordedRequests other = new RecordedRequests();
    final MemoryBudget budget = new MemoryBudget(64 << 20);
    JournaledSegmentStore store;
    RocksDbMetadataStore metadata;
    FailingMetadataStore rows; // which the services read and write
    TimerWheel timers;
    PartitionManager partitions;
    ScheduledExecutorService background;
    ExecutorService readers;
    Metrics metrics;
    TalosServices services;
    TopicAndPartition partition;

    /** The configuration, beside the defaults, as variables of the environment. */
    Map<String, String> settings() {
        return Map.of("TALOS_SERVICE_MAXLONGPOLL", "300ms");
    }

    @BeforeEach
    void serve() throws Exception {
        ServerConfig config = ConfigLoader.load(settings());
        metrics = new Metrics(ticker);
        LogMetrics logMetrics = new LogMetrics(metrics);
        timers = TimerWheel.started(ticker);
        store = LocalSegmentStore.open(directory.resolve("logs"), config.log(), ticker, logMetrics::journalled);
        metadata = RocksDbMetadataStore.open(directory.resolve("metadata"));
        rows = new FailingMetadataStore(metadata);
        background = Executors.newScheduledThreadPool(2);
        readers = Executors.newFixedThreadPool(2);
        partitions = new PartitionManager(
                store,
                new Partitions(metadata),
                id -> SegmentOptions.DEFAULT,
                config.log(),
                new PartitionLog.Parts(
                        new PartitionLog.Memory(
                                new TailCache(1 << 20), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                        new PartitionLog.Pools(background, background, readers),
                        new SteadyClock(clock, ticker),
                        ticker,
                        logMetrics,
                        new SystemThreads()),
                new PartitionManager.Pools(background, background),
                "me");
        UserAdmin users = UserAdmin.open(directory, metadata, clock, new SecureRandom());
        services = new TalosServices(new ServiceFoundation(
                config,
                partitions,
                Repositories.load(rows, users, clock),
                new ClusterAccess(coordinator, member -> other, Optional::empty, Optional::empty),
                environment(),
                new ServiceFoundation.Policies(WorkerSelection.leastLoaded(), () -> 0),
                new ServiceFoundation.GroupHeap(1 << 20, 1 << 20)));
        partition = createTopic("orders", 1);
    }

    private Environment environment() {
        return new Environment(
                new Clocks(ticker, clock),
                new Environment.Background(timers, background, background),
                budget,
                DiskSpace.none(),
                metrics,
                new RequestMetrics(metrics),
                new Readiness(ticker));
    }

    /** Returns the first partition of a new topic of Ann's. */
    TopicAndPartition createTopic(String name, int partitions) throws Exception {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(partitions);
        CreateTopicResponse created = new CreateTopicResponse();
        Answer answer = call(ServiceName.TOPIC, "createTopic", new CreateTopicRequest(name, attribute), ANN, GO);
        assertThat(answer.read(created)).isEmpty();
        return new TopicAndPartition(name, created.getTopicInfo().getTopicTalosResourceName(), 0);
    }

    /** Returns the id of a partition's topic. */
    static String topicId(TopicAndPartition partition) {
        String resource = partition.getTopicTalosResourceName().getTopicTalosResourceName();
        return resource.substring(resource.lastIndexOf('#') + 1);
    }

    @AfterEach
    void stop() {
        services.close();
        partitions.close();
        background.shutdown();
        readers.shutdown();
        metadata.close();
        store.close();
        timers.close();
    }

    /** An answer as it goes to the client. */
    record Answer(String method, ServiceAnswer whole) {
        Optional<GalaxyTalosException> read(@Nullable TBase<?, ?> result) throws Exception {
            byte[] bytes = join(whole.body());
            return Envelope.readReply(Wire.reader(ThriftEncoding.COMPACT, bytes, 0, bytes.length), method, 1, result);
        }
    }

    CompletableFuture<ServiceAnswer> send(
            ServiceName service, String method, @Nullable TBase<?, ?> request, Principal caller, String agent)
            throws Exception {
        byte[] body = join(Envelope.call(ThriftEncoding.COMPACT, method, 1, request));
        ClientInfo client = new ClientInfo(agent, OptionalLong.of(clock.millis()), "test");
        return services.handler()
                .call(new ServiceRequest(
                        service,
                        new ServiceRequest.EncodedCall(ThriftEncoding.COMPACT, ByteBuffer.wrap(body)),
                        new KnownCaller(caller, () -> caller, client),
                        ticker.nanos(),
                        null,
                        Presence.UNSEEN,
                        AmpleMemory.ofRequest()))
                .toCompletableFuture();
    }

    /** Returns the context of a request of Ann's, as front ends other than Thrift's make it. */
    CallContext context() {
        return context(ANN);
    }

    CallContext context(Principal user) {
        ClientInfo client = new ClientInfo(GO, OptionalLong.empty(), "test");
        long deadline = ticker.nanos() + TimeUnit.SECONDS.toNanos(60);
        KnownCaller caller = new KnownCaller(user, () -> user, client);
        return new CallContext(caller, ticker.nanos(), deadline, null, Presence.UNSEEN, AmpleMemory.ofRequest());
    }

    static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    Answer call(ServiceName service, String method, @Nullable TBase<?, ?> request, Principal caller, String agent)
            throws Exception {
        ServiceAnswer answer = send(service, method, request, caller, agent).get();
        return new Answer(method, answer);
    }

    static byte[] join(List<ByteBuffer> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer part : parts) {
            byte[] bytes = new byte[part.remaining()];
            part.duplicate().get(bytes);
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    PutMessageRequest put(String text, MessageCompressionType type) {
        Message message = new Message(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        message.setCreateTimestamp(1_700_000_000_000L);
        MessageBlock block = MessageBlocks.write(List.of(message), type, 1);
        return new PutMessageRequest(partition, List.of(block), 1, "client#1");
    }

    Optional<GalaxyTalosException> answerTo(PutMessageRequest put, String agent) throws Exception {
        return call(ServiceName.MESSAGE, "putMessage", put, ANN, agent).read(new PutMessageResponse());
    }

    GetMessageResponse get(long offset, String agent) throws Exception {
        GetMessageResponse response = new GetMessageResponse();
        GetMessageRequest request = new GetMessageRequest(partition, offset, "get#1");
        assertThat(call(ServiceName.MESSAGE, "getMessage", request, ANN, agent).read(response))
                .isEmpty();
        return response;
    }

    long end() throws Exception {
        GetPartitionOffsetResponse response = new GetPartitionOffsetResponse();
        assertThat(call(ServiceName.MESSAGE, "getPartitionOffset", new GetPartitionOffsetRequest(partition), ANN, GO)
                        .read(response))
                .isEmpty();
        return response.getOffsetInfo().getEndOffset();
    }
}
