// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.List;
import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.thrift.ErrorCode;

/**
 * A user to be made. ACLs name users, orgs and teams alike, so a user may not be called like an org or a team.
 *
 * <p>Immutable.
 *
 * @param userId a name by the rule of all names, not beginning with CL or CI
 * @param admin may do everything
 * @param serviceAdmin may act for others
 * @param orgIds each beginning with CL
 * @param teamIds each beginning with CI
 */
public record NewUser(String userId, boolean admin, boolean serviceAdmin, List<String> orgIds, List<String> teamIds) {
    private static final String ORG_PREFIX = "CL";
    private static final String TEAM_PREFIX = "CI";

    /** Checks the names: {@link TalosException} INVALID_NAME_ERROR. */
    public NewUser {
        orgIds = List.copyOf(orgIds);
        teamIds = List.copyOf(teamIds);
        if (!Names.isValid(userId) || userId.startsWith(ORG_PREFIX) || userId.startsWith(TEAM_PREFIX)) {
            throw invalid("userId");
        }
        if (!orgIds.stream().allMatch(id -> Names.isValid(id) && id.startsWith(ORG_PREFIX))) {
            throw invalid("orgIds");
        }
        if (!teamIds.stream().allMatch(id -> Names.isValid(id) && id.startsWith(TEAM_PREFIX))) {
            throw invalid("teamIds");
        }
    }

    private static TalosException invalid(String field) {
        return TalosException.refused(
                ErrorCode.INVALID_NAME_ERROR,
                field + ": 1 to 80 of [a-zA-Z0-9_-]; orgs begin with CL, teams with CI, users with neither");
    }
}
