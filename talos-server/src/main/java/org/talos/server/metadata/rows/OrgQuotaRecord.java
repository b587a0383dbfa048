// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * The partitions that the topics of an org may have together, and what the org has asked for.
 *
 * <p>Immutable.
 *
 * @param approved -1 if nothing was approved
 * @param asked -1 if no application waits
 * @param reason of the application that waits, else empty
 * @param name of the org for people, may be empty
 */
public record OrgQuotaRecord(int approved, int asked, String reason, String name) {
    /** Neither approved nor asked for. */
    public static final int NONE = -1;

    /** An org that nothing is known of. */
    public static final OrgQuotaRecord NOTHING = new OrgQuotaRecord(NONE, NONE, "", "");

    public OrgQuotaRecord {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(name, "name");
    }

    /** The same with an application that waits. */
    public OrgQuotaRecord asking(int partitions, String why, String orgName) {
        return new OrgQuotaRecord(approved, partitions, why, orgName);
    }

    /** The same with so many approved, and no application. */
    public OrgQuotaRecord approving(int partitions) {
        return new OrgQuotaRecord(partitions, NONE, "", name);
    }

    /** The same without the application. */
    public OrgQuotaRecord refusing() {
        return new OrgQuotaRecord(approved, NONE, "", name);
    }
}
