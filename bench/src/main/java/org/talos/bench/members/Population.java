// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The groups, their members, and the partitions that each member holds: the result that the SDKs' balancing has in the
 * end. Immutable.
 *
 * @param groups consumer groups, all on one topic
 * @param members of each group
 * @param partitions of the topic; if fewer than the members of a group, the last members hold none
 */
record Population(int groups, int members, int partitions) {
    /** Returns the number of all members. */
    int size() {
        return Math.multiplyExact(groups, members);
    }

    /** Returns the name of a group. */
    static String groupName(int group) {
        return format("members-%06d", group);
    }

    /** Returns a member by its place in its group. */
    Member member(int group, int place) {
        List<Integer> share = IntStream.iterate(place, each -> each < partitions, each -> each + members)
                .boxed()
                .toList();
        return new Member(group, workerId(place * groups + group), share);
    }

    /** Returns a worker id like those of the SDK, which have the address, the time, and eight characters more. */
    private static String workerId(int number) {
        return format("127.0.0.1-1700000000000%08x", number);
    }

    /**
     * Returns the members that call one server. Each group has members at every server, as behind a load balancer. In
     * this order a member is followed by a member of the next group, so that the calls of a group are spread evenly
     * over time: a server that gathers the calls of one group finds as little to gather as possible.
     */
    List<Member> at(int server, int servers) {
        List<Member> here = new ArrayList<>();
        for (int place = server; place < members; place += servers) {
            for (int group = 0; group < groups; group++) {
                here.add(member(group, place));
            }
        }
        return here;
    }

    /** Deals the members to connections one by one, so that members in sequence are on different connections. */
    static List<List<Member>> dealt(List<Member> all, int connections) {
        List<List<Member>> dealt = new ArrayList<>();
        for (int first = 0; first < connections; first++) {
            List<Member> one = new ArrayList<>();
            for (int i = first; i < all.size(); i += connections) {
                one.add(all.get(i));
            }
            dealt.add(one);
        }
        return dealt;
    }

    /**
     * Counts the members of a group that are missing or do not hold exactly their partitions, and unknown members.
     *
     * @param found members by name, with the partitions that each holds
     */
    int wrong(int group, Map<String, List<Integer>> found) {
        int right = 0;
        for (int place = 0; place < members; place++) {
            Member member = member(group, place);
            List<Integer> held = found.get(member.name());
            if (held != null && held.stream().sorted().toList().equals(member.partitions())) {
                right++;
            }
        }
        return Math.max(members, found.size()) - right;
    }
}
