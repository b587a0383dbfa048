// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.talos.check.history.Recorder;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Runs all clients: workers of all kinds, producers with many puts under way, members of a group, one that deletes and
 * re-creates its topic, one whose topic grows, one that polls offsets.
 *
 * <p>Confined: the main thread, but for the clients' own.
 */
public final class Workload implements AutoCloseable {
    /** The topic that all of them use. */
    public static final String TOPIC = "checked";

    private static final String BY_CALLS = "thrift";
    private static final String BY_STREAM = "stream";

    private static final String KEY = TOPIC + "/";
    private static final Member.Group GROUP = new Member.Group(TOPIC, "readers", KEY, Member.Group.EARLIEST);
    private static final String AGAIN = "again";
    private static final String AGAIN_WIDE = "again-wide";
    private static final int PARTITIONS_OF_WIDE = 6;
    private static final Duration TIMEOUT = Duration.ofSeconds(6);
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    /** Long, since servers that have just started have classes to load. */
    private static final Duration FIRST_CALL = Duration.ofSeconds(60);

    private static final long ENDED_SECONDS = 60;

    private final Recorder recorder;
    private final List<TalosEndpoint> endpoints;
    private final int partitions;
    private final Times times;
    private final Duration memberTtl;
    private final SplittableRandom random;
    private final Values values;
    private final TopicDescription topic;
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "check-client");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Turnover> passing;
    private final Growth growth;
    private final List<Future<?>> running = new ArrayList<>();

    /**
     * Creates the topic; no client uses it yet.
     *
     * @param times of the servers
     */
    public Workload(Recorder recorder, List<TalosEndpoint> endpoints, int partitions, Times times, long seed)
            throws TalosClientException {
        this.recorder = recorder;
        this.endpoints = List.copyOf(endpoints);
        this.partitions = partitions;
        this.times = times;
        memberTtl = times.memberTtl();
        random = new SplittableRandom(seed);
        values = new Values(seed);
        topic = new TalosAdmin(new TalosClient(config(0).withTimeout(FIRST_CALL).withDeadline(FIRST_CALL)))
                .createTopic(NewTopic.of(TOPIC, partitions));
        passing = List.of(
                turnover(AGAIN, 1, BY_CALLS, () -> thrift(1)),
                turnover(AGAIN_WIDE, PARTITIONS_OF_WIDE, BY_STREAM, () -> streams(1)));
        growth = new Growth(
                recorder,
                new Growth.Clients(BY_CALLS, () -> thrift(1), this::rest, threads, lease(), times.deletedForAll()),
                values,
                random.split(),
                end);
    }

    /**
     * Times that the servers are configured with. Immutable.
     *
     * @param memberTtl {@code service.memberTtl}; the shorter, the more often partitions are reassigned
     * @param deletedForAll how long a server may continue with a topic that another has deleted
     */
    public record Times(Duration memberTtl, Duration deletedForAll) {}

    private Turnover turnover(String name, int partitionsOfIt, String means, Supplier<TalosClient> sdk) {
        List<RestCalls> each = IntStream.range(0, endpoints.size())
                .mapToObj(i -> new RestCalls(List.of(endpoints.get(i)), 0))
                .toList();
        return new Turnover(
                name,
                partitionsOfIt,
                new Diary(recorder),
                new Turnover.Clients(means, sdk, each, times.deletedForAll()),
                values,
                random.split(),
                end);
    }

    /** The topics that come and go. */
    public List<? extends PassingTopic> passing() {
        return passing;
    }

    /** Starts so many clients of each kind; over streams all but writers, and one producer of either kind. */
    public void start(int workers, int writers, int members) {
        work(Worker.Habit.BOTH, workers);
        work(Worker.Habit.WRITES, writers);
        for (int i = 0; i < workers; i++) {
            int first = i;
            run(worker(Worker.Habit.BOTH, () -> sdkCaller(BY_STREAM, streams(first))));
        }
        run(pipeline(() -> Producers.pipelined(streams(0), topic)));
        run(pipeline(() -> Producers.collecting(streams(1), topic, DEADLINE)));
        for (int i = 0; i < members; i++) {
            run(member(new Diary(recorder), i));
        }
        run(sdkMember(BY_CALLS, thrift(0)));
        run(sdkMember(BY_STREAM, streams(1)));
        run(watcher());
        passing.forEach(this::run);
        run(growth);
    }

    private Watcher watcher() {
        return new Watcher(new Diary(recorder), rest(0), TOPIC, GROUP.name(), KEY, end);
    }

    private void work(Worker.Habit habit, int ofAKind) {
        for (int i = 0; i < ofAKind; i++) {
            int first = i;
            run(worker(habit, () -> sdkCaller(BY_CALLS, thrift(first))));
            run(worker(habit, () -> restCaller(first + 1)));
        }
    }

    private void run(Runnable client) {
        running.add(threads.submit(client));
    }

    private Worker worker(Worker.Habit habit, Supplier<Caller> clients) {
        Worker.Partitions all = new Worker.Partitions(KEY, partitions);
        return new Worker(habit, new Diary(recorder), clients, all, values, random.split(), end);
    }

    private Pipeline pipeline(Pipeline.Maker producers) {
        return new Pipeline(new Diary(recorder), producers, KEY, partitions, values, random.split(), end);
    }

    private SdkMember sdkMember(String means, TalosClient client) {
        SdkMember.Subscription subscription = new SdkMember.Subscription(TOPIC, GROUP.name(), KEY);
        return new SdkMember(recorder, means, client, subscription, random.split(), end, memberTtl);
    }

    private Member member(Diary diary, int first) {
        return new Member(diary, () -> rest(first), GROUP, random.split(), end, lease());
    }

    private Duration lease() {
        return memberTtl.multipliedBy(4).dividedBy(5); // as a member may ask for less than the servers' time
    }

    private Caller sdkCaller(String means, TalosClient client) {
        return new SdkCaller(means, client, topic, KEY);
    }

    private Caller restCaller(int first) {
        return new RestCaller(rest(first), topic, KEY);
    }

    private RestCalls rest(int first) {
        return new RestCalls(endpoints, first);
    }

    private TalosClient thrift(int first) {
        return new TalosClient(config(first));
    }

    private TalosClient streams(int first) {
        return new TalosClient(config(first).withTransport(Transport.STREAM));
    }

    private ClientConfig config(int first) {
        List<URI> servers =
                new ArrayList<>(endpoints.stream().map(TalosEndpoint::uri).toList());
        Collections.rotate(servers, -first);
        return ClientConfig.of(endpoints.get(0))
                .withEndpoints(servers)
                .withTimeout(TIMEOUT)
                .withDeadline(DEADLINE);
    }

    /**
     * Stops the clients, and reads everything.
     *
     * @param seconds time limit of the reads
     * @throws IOException a client failed unexpectedly, so that the history is not valid
     */
    public void finish(long seconds) throws IOException, InterruptedException {
        end.countDown();
        for (Future<?> each : running) {
            ended(each);
        }
        Ending ending = new Ending(recorder, KEY, partitions, seconds);
        List<Caller> last = List.of(sdkCaller(BY_CALLS, thrift(0)), restCaller(0), sdkCaller(BY_STREAM, streams(0)));
        for (Caller caller : last) {
            var unused = ending.put(new Diary(recorder), caller, values);
        }
        for (Caller caller : last) {
            var unused = ending.read(new Diary(recorder), caller);
            caller.close();
        }
        Diary diary = new Diary(recorder);
        Member reader = member(diary, 0);
        var unused = ending.read(diary, reader, GROUP);
        reader.leave();
        watcher().poll();
        growth.finish(seconds);
    }

    private static void ended(Future<?> client) throws IOException, InterruptedException {
        try {
            var unused = client.get(ENDED_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("a client of the check did not end as it should: " + e, e);
        }
    }

    @Override
    public void close() {
        end.countDown();
        threads.shutdownNow();
    }
}
