// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.quota;

import java.util.Objects;

/**
 * The number of partitions that all topics of an org may have, and the org's pending application.
 *
 * <p>Immutable.
 *
 * @param approved number of partitions, -1 if none was ever approved, 0 if the approval was revoked
 * @param asked number of partitions applied for, -1 without a pending application
 * @param reason of the pending application, else empty
 * @param name display name of the org, may be empty
 */
public record OrgQuotaRecord(int approved, int asked, String reason, String name) {
    /** The value of {@link #approved} and {@link #asked} for none. */
    public static final int NONE = -1;

    /** An org without a row. */
    public static final OrgQuotaRecord NOTHING = new OrgQuotaRecord(NONE, NONE, "", "");

    public OrgQuotaRecord {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(name, "name");
    }

    /** A copy with a pending application. */
    public OrgQuotaRecord asking(int partitions, String why, String orgName) {
        return new OrgQuotaRecord(approved, partitions, why, orgName);
    }

    /** A copy with this number approved and no application. */
    public OrgQuotaRecord approving(int partitions) {
        return new OrgQuotaRecord(partitions, NONE, "", name);
    }

    /** A copy with at least this number approved; an application for more than is approved continues waiting. */
    public OrgQuotaRecord raisedTo(int partitions, String orgName) {
        int most = Math.max(approved, partitions);
        return asked > most
                ? new OrgQuotaRecord(most, asked, reason, orgName)
                : new OrgQuotaRecord(most, NONE, "", orgName);
    }

    /**
     * A copy that may have no further partition; an application continues waiting. Not {@link #NONE}: without bound.
     */
    public OrgQuotaRecord revoking() {
        return new OrgQuotaRecord(0, asked, reason, name);
    }

    /** A copy without the application. */
    public OrgQuotaRecord refusing() {
        return new OrgQuotaRecord(approved, NONE, "", name);
    }
}
