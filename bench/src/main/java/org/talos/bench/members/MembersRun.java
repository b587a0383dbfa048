// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.RequestSigner;
import org.talos.bench.load.RequestSigner.Body;
import org.talos.bench.load.Window;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * One run: the calls that members are compared with, idle servers, the joining of all members, and the time in which
 * they do what idle members do.
 *
 * <p>Confined: the main thread.
 */
final class MembersRun {
    /** Longer than any server takes that keeps up with the renewals of those that have joined. */
    private static final Duration JOINED_WITHIN = Duration.ofMinutes(30);
    /** After a load, until its last work is done. */
    private static final Duration SETTLE = Duration.ofSeconds(5);

    /** Longer than a server may be behind: it answers by what it has read of a group within the last second. */
    private static final Duration BEHIND = Duration.ofSeconds(2);

    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final String JOIN = "join";
    private static final double NANOS = 1e9;

    private final MembersSettings settings;
    private final MembersSite site;
    private final Lines lines;
    private final Credential credential;
    private final TopicDescription topic;
    private final MemberBodies bodies;

    /** Shows the progress. */
    interface Lines {
        void line(String text) throws IOException;
    }

    /** Creates the topic of the run. */
    MembersRun(MembersSettings settings, MembersSite site, Lines lines)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        this.settings = settings;
        this.site = site;
        this.lines = lines;
        TalosEndpoint administrator = site.endpoint();
        credential = new Credential(administrator.accessKey(), administrator.secretKey());
        topic = site.topic(settings.population().partitions());
        bodies = new MemberBodies(topic);
    }

    MembersFigures measure() throws IOException, CommandException, InterruptedException {
        MembersFigures.Phase version = compared();
        long heapBefore = site.heapBytes();
        Thread.sleep(SETTLE.toMillis());
        Costs idle = idle();
        LoadResult join = join();
        Thread.sleep(BEHIND.toMillis());
        MembersFigures.Phase members = members();
        int wrong = new GroupCheck(site.endpoint(), topic).wrong(settings.population());
        long heapAfter = site.heapBytes();
        return new MembersFigures(
                settings, idle, version, join, members, wrong, new MembersFigures.Heap(heapBefore, heapAfter));
    }

    /** Measures calls that read no row, at the rate of all the members' calls together. */
    private MembersFigures.Phase compared() throws IOException {
        PutGetLoad load = measuredLoad();
        double here = settings.callsPerSecond() / settings.servers();
        for (URI server : site.uris()) {
            load.add(
                    MemberCall.VERSION.method(),
                    server,
                    alike(signer(MemberCall.VERSION, server), MemberBodies.version(), settings.connections(here)),
                    new ClosedLoop.Pace(here, true));
        }
        return measured(load);
    }

    private Costs idle() throws InterruptedException {
        CostsWindow window = site.window();
        window.opened();
        Thread.sleep(IDLE.toMillis());
        window.closed();
        return window.costs();
    }

    private LoadResult join() throws IOException {
        PutGetLoad load = new PutGetLoad(site.uris().get(0), Duration.ZERO, JOINED_WITHIN);
        List<JoiningMembers> all = new ArrayList<>();
        for (int number = 0; number < settings.servers(); number++) {
            URI server = site.uris().get(number);
            Map<MemberCall, RequestSigner> signers = JoiningMembers.signers(call -> signer(call, server));
            List<Member> here = settings.population().at(number, settings.servers());
            List<JoiningMembers> sources =
                    Population.dealt(here, Math.min(here.size(), settings.connections())).stream()
                            .map(some -> new JoiningMembers(
                                    some,
                                    bodies,
                                    signers,
                                    settings.intervals().renew().toNanos(),
                                    System::nanoTime))
                            .toList();
            all.addAll(sources);
            load.add(JOIN, server, sources, 0);
        }
        LoadResult result = Objects.requireNonNull(load.run(Window.NOBODY).get(JOIN));
        if (all.stream().anyMatch(JoiningMembers::hasNext)) {
            throw new IOException("not all members have joined; the first failure: "
                    + result.firstFailure().orElse("none"));
        }
        lines.line(format(
                "joined           %d members in %.1f s, %.0f calls a second",
                settings.population().size(), result.measuredNanos() / NANOS, result.perSecond()));
        return result;
    }

    private MembersFigures.Phase members() throws IOException {
        PutGetLoad load = measuredLoad();
        for (int number = 0; number < settings.servers(); number++) {
            addServer(load, site.uris().get(number), settings.population().at(number, settings.servers()));
        }
        return measured(load);
    }

    /** Adds what the members of one server call. */
    private void addServer(PutGetLoad load, URI server, List<Member> here) {
        double part = (double) here.size() / settings.population().size();
        double renews = settings.renewsPerSecond() * part;
        RequestSigner renewing = signer(MemberCall.RENEW, server);
        load.add(
                MemberCall.RENEW.method(),
                server,
                dealt(here, renews).stream()
                        .map(some -> new Renewals(new RepeatedCalls(
                                renewing, some.stream().map(bodies::renew).toList())))
                        .toList(),
                new ClosedLoop.Pace(renews, true));
        double looks = settings.looksPerSecond() * part;
        if (looks > 0) {
            load.add(
                    MemberCall.LOOK.method(),
                    server,
                    looks(signer(MemberCall.LOOK, server), dealt(here, looks)),
                    new ClosedLoop.Pace(looks, true));
        }
        double checks = settings.topicChecksPerSecond() * part;
        load.add(
                MemberCall.TOPIC.method(),
                server,
                alike(signer(MemberCall.TOPIC, server), bodies.topicCheck(), settings.connections(checks)),
                new ClosedLoop.Pace(checks, true));
    }

    /** Creates calls that are always the same, for several connections. */
    private static List<RepeatedCalls> alike(RequestSigner signer, Body body, int connections) {
        return IntStream.range(0, connections)
                .mapToObj(connection -> new RepeatedCalls(signer, List.of(body)))
                .toList();
    }

    private List<List<Member>> dealt(List<Member> here, double perSecond) {
        return Population.dealt(here, Math.min(here.size(), settings.connections(perSecond)));
    }

    /** Members of a group share the body of their looks. */
    private List<GroupLooks> looks(RequestSigner signer, List<List<Member>> dealt) {
        List<Body> ofGroups = IntStream.range(0, settings.population().groups())
                .mapToObj(bodies::look)
                .toList();
        return dealt.stream()
                .map(some -> {
                    List<Integer> groups = some.stream().map(Member::group).toList();
                    List<Body> calls = groups.stream().map(ofGroups::get).toList();
                    return new GroupLooks(new RepeatedCalls(signer, calls), groups, settings.population());
                })
                .toList();
    }

    private RequestSigner signer(MemberCall call, URI server) {
        return call.signer(server.getHost() + ":" + server.getPort(), credential);
    }

    private PutGetLoad measuredLoad() {
        QuietCompiler warmUp = new QuietCompiler(site::compileSeconds, settings.longestWarmUp());
        return new PutGetLoad(site.uris().get(0), warmUp, settings.measured());
    }

    private MembersFigures.Phase measured(PutGetLoad load) throws IOException {
        CostsWindow window = site.window();
        Map<String, LoadResult> results = load.run(window);
        return new MembersFigures.Phase(results, window.costs());
    }
}
