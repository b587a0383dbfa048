// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;

/** Quotas of users and topics, and of the partitions of orgs. Immutable. */
public final class QuotaRecords {
    private QuotaRecords() {}

    /** The bounds of a topic. Immutable. */
    @Schema(closed = true)
    @Described("What is missing is without bound.")
    public record TopicQuota(
            @Described(value = "Bytes kept.", min = 1, format = "int64")
            OptionalLong space,

            @Described(min = 1, format = "int32") OptionalInt putsPerSecond,
            @Described(min = 1, format = "int32") OptionalInt getsPerSecond,
            @Described(min = 1, format = "int64") OptionalLong putBytesPerSecond,
            @Described(min = 1, format = "int64") OptionalLong getBytesPerSecond) {}

    /** The bounds of a user. Immutable. */
    @Schema(closed = true)
    @Described("What is missing is without bound.")
    public record UserQuota(
            @Inlined TopicQuota bounds,

            @Described(
                    value = "Topics that the user may own; the server's bound (quota.topicsPerUser) if it is "
                            + "missing. More than that also allow as many times more partitions and bytes of "
                            + "topics.",
                    min = 1,
                    max = 1000000,
                    format = "int32")
            OptionalInt topics) {}

    /** Limits and their use. Immutable. */
    @Schema
    public record QuotaNow(
            long usedSpace,
            @Inlined UserQuota bounds,

            @Described("Topics that the user owns; missing for a topic.")
            OptionalLong usedTopics,

            @Described("Of the last ten seconds at the server that answers; missing where putsPerSecond is.")
            OptionalDouble usedPutsPerSecond,

            @Described("Of the last ten seconds at the server that answers; missing where getsPerSecond is.")
            OptionalDouble usedGetsPerSecond,

            @Described("Of the last ten seconds at the server that answers; missing where putBytesPerSecond is.")
            OptionalDouble usedPutBytesPerSecond,

            @Described("Of the last ten seconds at the server that answers; missing where getBytesPerSecond is.")
            OptionalDouble usedGetBytesPerSecond) {}

    /** The quota of a user. Immutable. */
    public record OfUser(@Inlined(byReference = true) QuotaNow quota, String user) {}

    /** The quotas of all users. Immutable. */
    @Schema
    public record UserQuotas(List<OfUser> users) {}

    /** Partitions of an org. Immutable. */
    public record OfOrg(String org, int partitions, int usedPartitions, Optional<String> reason) {}

    /** Partitions of orgs. Immutable. */
    @Schema
    public record OrgQuotas(List<OfOrg> approved, List<OfOrg> waiting) {}

    /** Partitions that an org applies for. Immutable. */
    @Schema(closed = true)
    public record Application(
            @Described(min = 1, max = 1000000, format = "int32")
            int partitions,

            @Described(max = 1000) Optional<String> reason) {}

    /** Partitions that an administrator approves. Immutable. */
    @Schema(closed = true)
    public record Approval(
            @Described(min = 1, max = 1000000, format = "int32")
            int partitions) {}
}
