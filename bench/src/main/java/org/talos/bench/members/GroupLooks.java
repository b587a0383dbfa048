// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.RequestSource;
import org.talos.thrift.QueryWorkerResponse;

/**
 * The looks of one connection's members at their groups, once all have joined. An answer is good if each member of the
 * group holds its partitions. An answer that is as long as the last good one of its group is taken as good without
 * being decoded: a member or a lock that is missing makes it shorter.
 *
 * <p>Confined: the loop's thread.
 */
final class GroupLooks implements RequestSource {
    private final RepeatedCalls calls;
    private final Population population;
    private final int[] groups; // of the looks, in their order
    private final int[] goodBytes; // by group
    private int answered;

    /** @param groups number of the group of each call, in the order of the calls */
    GroupLooks(RepeatedCalls calls, List<Integer> groups, Population population) {
        this.calls = calls;
        this.population = population;
        this.groups = groups.stream().mapToInt(Integer::intValue).toArray();
        goodBytes = new int[population.groups()];
        Arrays.fill(goodBytes, -1);
    }

    @Override
    public ByteBuffer next() {
        return calls.next();
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        int group = groups[answered];
        answered = (answered + 1) % groups.length;
        if (body.remaining() == goodBytes[group]) {
            return Outcome.DONE;
        }
        QueryWorkerResponse answer = new QueryWorkerResponse();
        if (!MemberCall.LOOK.reads(body, answer) || population.wrong(group, answer.getWorkerMap()) > 0) {
            return Outcome.WRONG;
        }
        goodBytes[group] = body.remaining();
        return Outcome.DONE;
    }
}
