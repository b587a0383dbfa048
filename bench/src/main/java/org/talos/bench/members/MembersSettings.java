// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.talos.bench.report.Text.format;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ServerSetup;
import org.talos.client.consumer.ConsumerConfig;

/**
 * The settings of the members benchmark. Immutable.
 *
 * @param servers one with its data in a directory, or several on a development cluster
 * @param longestWarmUp bound of a warm-up that ends when the servers' compilers are quiet
 * @param measured of the members, and of the calls that they are compared with
 * @param connections at most, of each kind of call to each server
 * @param setup folder and options of a single server, and variables of all servers
 */
record MembersSettings(
        int servers,
        Population population,
        Intervals intervals,
        Duration longestWarmUp,
        Duration measured,
        int connections,
        ServerSetup setup) {
    /**
     * The intervals between the calls of a member. Immutable.
     *
     * @param renew between its renewals
     * @param look between its looks at its group; zero if members do not look
     */
    record Intervals(Duration renew, Duration look) {}

    /** The members for which the goals below are. */
    static final int GOAL_MEMBERS = 100_000;
    /** Row writes a second. */
    static final double GOAL_WRITES = 500;
    /** Processors of three servers, a tenth of one each. */
    static final double GOAL_PROCESSORS = 0.3;

    private static final ConsumerConfig SDK = ConsumerConfig.defaults();
    /** The SDK's consumer waits for this time after a look, for each member that the look has found, up to a bound. */
    private static final Duration SDK_LOOK_OF_A_MEMBER = Duration.ofMillis(50);

    private static final Duration SDK_LONGEST_OF_THESE = Duration.ofSeconds(5);
    /** At least this time for each member, without a bound. */
    private static final Duration SDK_LEAST_OF_A_MEMBER = Duration.ofMillis(5);
    /** Requests a second for which a connection has time, even if each takes 20 ms. */
    private static final double PER_CONNECTION = 50;

    /** The bounds that servers have by default. */
    private static final int ALLOWED_MEMBERS = 1_000;

    private static final int ALLOWED_GROUPS = 1_000;
    private static final double NANOS = 1e9;

    /** Returns the interval between the renewals of the SDK's consumer. */
    static Duration sdkRenew() {
        return SDK.renewInterval();
    }

    /** Returns the interval between the looks of the SDK's consumer in a group of so many members. */
    static Duration sdkLook(int members) {
        Duration idle = SDK_LOOK_OF_A_MEMBER.multipliedBy(members);
        Duration bounded = idle.compareTo(SDK_LONGEST_OF_THESE) < 0 ? idle : SDK_LONGEST_OF_THESE;
        Duration large = longer(bounded, SDK_LEAST_OF_A_MEMBER.multipliedBy(members));
        return longer(large, SDK.balanceInterval());
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    double renewsPerSecond() {
        return perSecond(intervals.renew);
    }

    double looksPerSecond() {
        return intervals.look.isZero() ? 0 : perSecond(intervals.look);
    }

    double topicChecksPerSecond() {
        return perSecond(SDK.topicCheckInterval());
    }

    double callsPerSecond() {
        return renewsPerSecond() + looksPerSecond() + topicChecksPerSecond();
    }

    private double perSecond(Duration interval) {
        return population.size() * NANOS / interval.toNanos();
    }

    /** Returns how many connections to one server a load of this rate has. */
    int connections(double perSecond) {
        double wanted = Math.ceil(perSecond / PER_CONNECTION);
        return (int) Math.max(1, Math.min(wanted, connections));
    }

    /** Returns the servers' settings: their bounds are raised where there are more groups or members. */
    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        if (population.members() > ALLOWED_MEMBERS) {
            environment.put("SERVICE_MAXMEMBERSPERGROUP", Integer.toString(population.members()));
        }
        if (population.groups() > ALLOWED_GROUPS) {
            environment.put("SERVICE_MAXGROUPSPERUSER", Integer.toString(population.groups()));
        }
        environment.putAll(setup.set());
        return environment;
    }

    /** Returns the settings for the report, by name. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("servers", servers == 1 ? "1, data in a directory" : servers + ", on HDFS, HBase and ZooKeeper");
        lines.put("groups", population.groups() + " of " + population.members() + " members, on one topic");
        lines.put("partitions", Integer.toString(population.partitions()));
        lines.put(
                "calls a second",
                format(
                        "%.1f: %.1f renewals, %.1f looks, %.1f checks of the topic",
                        callsPerSecond(), renewsPerSecond(), looksPerSecond(), topicChecksPerSecond()));
        lines.put("renewal of a member s", seconds(intervals.renew));
        lines.put("look of a member s", intervals.look.isZero() ? "none" : seconds(intervals.look));
        lines.put("warm-up s at most", Long.toString(longestWarmUp.toSeconds()));
        lines.put("measured s", seconds(measured));
        lines.put("connections at most", connections + ", for each kind of call and server");
        lines.put("client", "in the JVM of this command: a thread for each kind of call and server");
        lines.put("data", setup.work().toString());
        lines.put("server options", servers == 1 ? String.join(" ", setup.options()) : "of the cluster's servers");
        lines.put("server settings", new TreeMap<>(environment()).toString());
        return lines;
    }

    private static String seconds(Duration duration) {
        return format("%.3f", duration.toNanos() / NANOS);
    }
}
