// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.thrift.ErrorCode;

/**
 * The sender of a request.
 *
 * <p>Immutable.
 *
 * @param userId the user: of the key, or the developer whom a trusted service acts for
 * @param keyId the key that has signed
 * @param admin may do everything; never while acting for somebody
 * @param serviceAdmin whether the key may act for others
 * @param identifiers names in an ACL that match this caller: the user, their teams, their orgs
 * @param actingFor whom the request says to act for, or null; {@link #requireRightToAct} says whether it may
 */
public record Principal(
        String userId,
        String keyId,
        boolean admin,
        boolean serviceAdmin,
        Set<String> identifiers,
        Memberships memberships,
        @Nullable String actingFor) {
    /** The caller without a key, who has no permissions. */
    public static final Principal NOBODY = new Principal("", "", false, false, Set.of(), Memberships.NONE, null);

    private static final String ORG = "org:"; // a user may be named as an org

    public Principal {
        Objects.requireNonNull(userId, "userId");
        Objects.requireNonNull(keyId, "keyId");
        identifiers = Set.copyOf(identifiers);
    }

    /** The orgs and teams of a user. Immutable. */
    public record Memberships(Set<String> orgIds, Set<String> teamIds) {
        /** Belongs to nothing. */
        public static final Memberships NONE = new Memberships(Set.of(), Set.of());

        public Memberships {
            orgIds = Set.copyOf(orgIds);
            teamIds = Set.copyOf(teamIds);
        }
    }

    /** Returns the caller who signs with the user's own key. */
    static Principal of(UserRecord user) {
        return of(user, user.keyId());
    }

    /** Returns the caller who signs with one of the user's keys. */
    static Principal of(UserRecord user, String keyId) {
        return new Principal(
                user.userId(),
                keyId,
                user.admin(),
                user.serviceAdmin(),
                identifiers(user.userId(), user.orgIds(), user.teamIds()),
                new Memberships(Set.copyOf(user.orgIds()), Set.copyOf(user.teamIds())),
                null);
    }

    /** Returns the orgs that the user belongs to. */
    public Set<String> orgIds() {
        return memberships.orgIds;
    }

    /**
     * Returns whose turns and memory the user's work takes: those of the user's org, which counts as one user. A user
     * of several orgs takes those of the first by id.
     */
    public String turnId() {
        return orgIds().isEmpty() ? userId : ORG + Collections.min(orgIds());
    }

    /** Returns the teams that the user belongs to. */
    public Set<String> teamIds() {
        return memberships.teamIds;
    }

    /**
     * Returns the principal of this key's request on a developer's behalf. A service with this right becomes the
     * developer, with the developer's teams and orgs if they are known, and loses its own rights. Any other key stays
     * itself. The protocol wants its refusal later, in the answer to the call.
     */
    Principal actFor(String developerId, @Nullable Principal developer) {
        if (!serviceAdmin || developerId.isBlank()) {
            return new Principal(userId, keyId, admin, false, identifiers, memberships, developerId);
        }
        Memberships known = developer == null ? Memberships.NONE : developer.memberships;
        return new Principal(
                developerId,
                keyId,
                false,
                true,
                identifiers(developerId, known.orgIds, known.teamIds),
                known,
                developerId);
    }

    /**
     * Checks that the caller may act as the request says; to be called before anything else is done for it.
     *
     * @throws TalosException INVALID_AUTH_INFO: the request acts for somebody whom its key may not act for
     */
    public void requireRightToAct() {
        if (actingFor != null && !serviceAdmin) {
            throw TalosException.refused(ErrorCode.INVALID_AUTH_INFO, "this key may not act for others");
        }
    }

    private static Set<String> identifiers(String userId, Collection<String> orgs, Collection<String> teams) {
        Set<String> all = new HashSet<>(orgs);
        all.addAll(teams);
        all.add(userId);
        return all;
    }
}
