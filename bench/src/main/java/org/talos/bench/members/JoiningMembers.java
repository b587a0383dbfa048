// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.talos.bench.load.RequestSigner;
import org.talos.bench.load.RequestSigner.Body;
import org.talos.bench.load.RequestSource;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.QueryWorkerResponse;

/**
 * The members of one connection, which join their groups one after another: each registers, looks at its group, and
 * locks its partitions. Those that have joined are renewed meanwhile whenever they are due, so that no lock expires
 * however long the others take.
 *
 * <p>Confined: the loop's thread.
 */
final class JoiningMembers implements RequestSource {
    private static final Step NOTHING = new Step(MemberCall.VERSION, new Member(0, "", List.of()), -1);

    private final List<Member> members;
    private final MemberBodies bodies;
    private final Map<MemberCall, RequestSigner> signers;
    private final long renewNanos;
    private final LongSupplier nanos;
    private final Deque<Step> steps = new ArrayDeque<>(); // that the member which joins now has before it
    private final Deque<Joined> joined = new ArrayDeque<>(); // the one that was renewed first is in front
    private int begun;
    private Step current = NOTHING;
    private ByteBuffer request = ByteBuffer.allocate(0);

    /**
     * One call of a member. Immutable.
     *
     * @param partition to be locked; -1 for other calls
     */
    private record Step(MemberCall call, Member member, int partition) {}

    /** A member that has joined, and when its renewal counts from. Immutable. */
    private record Joined(Member member, long sinceNanos) {}

    /**
     * Creates the joining of some members; nothing is sent yet.
     *
     * @param signers of all calls; may be shared by the connections of one loop
     * @param renewNanos interval between the renewals of a member
     * @param nanos a monotonic clock
     */
    JoiningMembers(
            List<Member> members,
            MemberBodies bodies,
            Map<MemberCall, RequestSigner> signers,
            long renewNanos,
            LongSupplier nanos) {
        this.members = List.copyOf(members);
        this.bodies = bodies;
        this.signers = Map.copyOf(signers);
        this.renewNanos = renewNanos;
        this.nanos = nanos;
    }

    /** Returns a signer of each call for one loop. */
    static Map<MemberCall, RequestSigner> signers(Function<MemberCall, RequestSigner> of) {
        Map<MemberCall, RequestSigner> signers = new EnumMap<>(MemberCall.class);
        for (MemberCall each : MemberCall.values()) {
            signers.put(each, of.apply(each));
        }
        return signers;
    }

    @Override
    public boolean hasNext() {
        return begun < members.size() || !steps.isEmpty();
    }

    @Override
    public ByteBuffer next() {
        long now = nanos.getAsLong();
        Joined oldest = joined.peek();
        if (oldest != null && now - oldest.sinceNanos >= renewNanos) {
            current = new Step(MemberCall.RENEW, joined.remove().member, -1);
            joined.add(new Joined(current.member, now));
        } else {
            if (steps.isEmpty()) {
                begin(members.get(begun++));
            }
            current = steps.remove();
            if (steps.isEmpty()) {
                joined.add(new Joined(current.member, now));
            }
        }
        request = Objects.requireNonNull(signers.get(current.call)).request(body(current), request);
        return request;
    }

    private void begin(Member member) {
        steps.add(new Step(MemberCall.REGISTER, member, -1));
        steps.add(new Step(MemberCall.LOOK, member, -1));
        member.partitions().forEach(each -> steps.add(new Step(MemberCall.LOCK, member, each)));
    }

    private Body body(Step step) {
        return switch (step.call) {
            case REGISTER -> bodies.register(step.member);
            case LOOK -> bodies.look(step.member.group());
            case LOCK -> bodies.lock(step.member, step.partition);
            case RENEW -> bodies.renew(step.member);
            case TOPIC, VERSION -> throw new IllegalStateException("no step of joining: " + step.call);
        };
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        boolean good = switch (current.call) {
            case REGISTER -> {
                LockWorkerResponse answer = new LockWorkerResponse();
                yield current.call.reads(body, answer) && answer.isRegisterSuccess();
            }
            case LOOK -> {
                QueryWorkerResponse answer = new QueryWorkerResponse();
                yield current.call.reads(body, answer) && answer.getWorkerMap().containsKey(current.member.name());
            }
            case LOCK -> {
                LockPartitionResponse answer = new LockPartitionResponse();
                yield current.call.reads(body, answer)
                        && answer.getSuccessPartitions().contains(current.partition);
            }
            case RENEW -> Renewals.isRenewed(body);
            case TOPIC, VERSION -> false;
        };
        return good ? Outcome.DONE : Outcome.WRONG;
    }
}
