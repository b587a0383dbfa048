// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.topic.SubResource;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Permission;

final class PermissionsTest {
    private static final TopicRecord OF_ADA = topic("ada", Map.of());
    private static final TopicRecord OF_ORG = topic("CL1", Map.of("CI1", 5, "bob", 2, "CL2", 4, "eve", 31));

    @Test
    void ownerMayDoAll() {
        assertThat(Permissions.bits(OF_ADA, caller("ada", List.of(), List.of())))
                .isEqualTo(31);
        assertThat(Permissions.bits(OF_ORG, caller("ada", List.of("CL1"), List.of())))
                .isEqualTo(31);
        assertThat(Permissions.bits(OF_ADA, "ada")).isEqualTo(31);
    }

    @Test
    void adminMayDoAll() {
        Principal admin = Principal.of(new UserRecord("root", "AK", "v1:", true, false, List.of(), List.of(), 0));

        assertThat(Permissions.bits(OF_ADA, admin)).isEqualTo(31);
        Permissions.requireAdmin(admin);
    }

    @Test
    void strangerMayDoNothing() {
        Principal stranger = caller("mallory", List.of("CL7"), List.of("CI7"));

        assertThat(Permissions.bits(OF_ORG, stranger)).isZero();
        assertDenied(() -> Permissions.require(OF_ORG, stranger, Permission.DESCRIBE_TOPIC));
        assertDenied(() -> Permissions.requireAny(OF_ORG, stranger));
        assertDenied(() -> Permissions.requireOwner(OF_ORG, stranger));
        assertDenied(() -> Permissions.requireAdmin(stranger));
    }

    @ParameterizedTest
    @CsvSource({
        "PUT_MESSAGE, true",
        "DESCRIBE_TOPIC, true",
        "PUT_MESSAGE_AND_DESCRIBE_TOPIC, true",
        "GET_MESSAGE, false",
        "FULL_MESSAGE_CONTROL, false",
        "CHANGE_TOPIC, false",
        "CHANGE_PERMISSION, false",
        "ADMIN, false"
    })
    void memberOfATeamHasWhatTheTeamWasGiven(Permission permission, boolean allowed) {
        Principal member = caller("carl", List.of(), List.of("CI1"));

        if (allowed) {
            Permissions.require(OF_ORG, member, permission);
        } else {
            assertDenied(() -> Permissions.require(OF_ORG, member, permission));
        }
        Permissions.requireAny(OF_ORG, member);
    }

    @Test
    void everythingGivenToACallerCounts() {
        assertThat(Permissions.bits(OF_ORG, caller("bob", List.of("CL2"), List.of("CI1"))))
                .isEqualTo(7);
    }

    @Test
    void ownersRightsAreNotGivenByAnAcl() {
        assertThat(Permissions.bits(OF_ORG, caller("eve", List.of(), List.of())))
                .isEqualTo(7);
        assertThat(Permissions.bits(OF_ORG, "eve")).isEqualTo(7);
    }

    @Test
    void adminTeamOfAnOrgThatTheTopicWasOpenedToMayUseIt() {
        TopicRecord opened = new TopicRecord(
                "orders",
                "0123456789abcdef0123456789abcdef",
                "ada",
                1,
                1,
                3_600,
                Map.of(),
                Map.of(),
                0,
                0,
                null,
                null,
                List.of(new SubResource("CL5", "CI5")));

        assertThat(Permissions.bits(opened, caller("x", List.of("CL5"), List.of("CI5"))))
                .isEqualTo(7);
        assertThat(Permissions.bits(opened, caller("x", List.of("CL5"), List.of())))
                .isZero();
    }

    @Test
    void callerWhoActsForOthersWithoutTheRightIsRefusedBeforeAnythingElse() {
        Principal admin = Principal.of(new UserRecord("root", "AK", "v1:", true, false, List.of(), List.of(), 0))
                .actFor("ada", null);

        assertThatThrownBy(() -> Permissions.require(OF_ADA, admin, Permission.PUT_MESSAGE))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_AUTH_INFO));
        assertThatThrownBy(() -> Permissions.requireAdmin(admin)).isInstanceOf(TalosException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void putGetAndDescribeCanBeGiven(int bits) {
        assertThatCode(() -> Permissions.requireGrantable("ada", "CI1", bits)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 8, 12, 15, 16, 31, 32, Integer.MIN_VALUE})
    void nothingAndOwnersRightsCannotBeGiven(int bits) {
        assertInvalid(() -> Permissions.requireGrantable("ada", "CI1", bits));
    }

    @Test
    void ownersPermissionsCannotBeChanged() {
        assertInvalid(() -> Permissions.requireGrantable("ada", "ada", 1));
        assertInvalid(() -> Permissions.requireChangeable("ada", "ada"));
        assertInvalid(() -> Permissions.requireChangeable("ada", ""));
        assertInvalid(() -> Permissions.requireChangeable("ada", "x".repeat(129)));
        Permissions.requireChangeable("ada", "bob");
    }

    private static void assertInvalid(Runnable check) {
        assertRefused(check, ErrorCode.INVALID_TOPIC_PARAMS);
    }

    private static void assertDenied(Runnable check) {
        assertRefused(check, ErrorCode.PERMISSION_DENIED_ERROR);
    }

    private static void assertRefused(Runnable check, ErrorCode code) {
        assertThatThrownBy(check::run).isInstanceOfSatisfying(TalosException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
    }

    private static Principal caller(String userId, List<String> orgs, List<String> teams) {
        return Principal.of(new UserRecord(userId, "AK", "v1:", false, false, orgs, teams, 0));
    }

    private static TopicRecord topic(String owner, Map<String, Integer> acl) {
        return new TopicRecord(
                "orders",
                "0123456789abcdef0123456789abcdef",
                owner,
                1,
                1,
                3_600,
                Map.of(),
                acl,
                0,
                0,
                null,
                null,
                List.of());
    }
}
