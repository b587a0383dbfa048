// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.thrift.CheckGranteeResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.MovedPartition;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.ResetGroupResponse;
import org.talos.thrift.User;

/** Tests the warnings for names that no user and no group has: they may be typing errors. */
@Timeout(30)
class UnknownNamesTest {
    @AutoClose
    private final ScriptedCommand talos;

    UnknownNamesTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    private static CheckGranteeResponse nobody() {
        return new CheckGranteeResponse().setWarning("nobody has it");
    }

    private static ListUsersResponse ann() {
        return new ListUsersResponse(List.of(new User("ann", "AK1", false, List.of(), List.of(), 1)));
    }

    private static MovedPartition moved(int partition) {
        return new MovedPartition(partition, 0);
    }

    @Test
    void quotaOfAUserWhoDoesNotExistIsSetWithAWarning() {
        talos.server.then(done()).then(result(ann()));

        assertThat(talos.call("quota", "set", "--user", "anne", "--puts", "5"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .startsWith("set\nwarning: there is no user anne yet: ")
                .contains("'talos quota delete --user anne'");
    }

    @Test
    void quotaOfAUserWhoExistsHasNoWarning() {
        talos.server.then(done()).then(result(ann()));

        assertThat(talos.call("quota", "set", "--user", "ann", "--puts", "5")).isZero();

        assertThat(talos.out()).isEqualTo("set\n");
    }

    @Test
    void quotaIsSetWhereUsersCannotBeListed() {
        talos.server.then(done()).then(error(ErrorCode.PERMISSION_DENIED_ERROR, "not for you"));

        assertThat(talos.call("quota", "set", "--user", "ann", "--puts", "5")).isZero();

        assertThat(talos.out()).isEqualTo("set\n");
    }

    @Test
    void revokeFromANameThatNobodyHasIsPrintedWithTheWarning() {
        talos.server.then(ScriptedCommand.topic(1)).then(done()).then(result(nobody()));

        assertThat(talos.call("topic", "revoke", "orders", "anne"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).isEqualTo("revoked\nwarning: no user, team, or org is named anne\n");
    }

    @Test
    void revokeOfAGroupsRightFromANameThatNobodyHasIsPrintedWithTheWarning() {
        talos.server.then(done()).then(result(nobody()));

        assertThat(talos.call("group", "revoke", "orders", "shipping", "anne", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).contains("\"warning\":\"no user, team, or org is named anne\"");
    }

    @Test
    void rightOnAGroupThatDoesNotExistIsGrantedWithAWarning() {
        talos.server
                .then(ScriptedCommand.topic(1))
                .then(result(new QueryConsumerGroupResponse(Set.of("shipping"))))
                .then(done())
                .then(result(new CheckGranteeResponse()));

        assertThat(talos.call("group", "grant", "orders", "shiping", "ann", "commit"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .isEqualTo("granted to ann\nwarning: there was no group shiping yet: 'talos group list orders' shows"
                        + " the others\n");
    }

    @Test
    void previewOfAResetWarnsOfAGroupThatHasNeverCommitted() {
        talos.server.then(result(new ResetGroupResponse(List.of(moved(0), moved(1)))));

        assertThat(talos.call("group", "reset", "orders", "shiping", "--to", "earliest"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .contains("warning: no group shiping has committed in these partitions yet: 'talos group list orders'")
                .endsWith("nothing is changed yet: --execute does it\n")
                .doesNotContain("group delete");
    }

    @Test
    void resetSaysHowToRemoveAGroupThatItHasMade() {
        talos.server.then(result(new ResetGroupResponse(List.of(moved(0)))));

        assertThat(talos.call("group", "reset", "orders", "shiping", "--to", "earliest", "--execute"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).contains("'talos group delete orders shiping'").endsWith("reset\n");
    }

    @Test
    void resetOfAGroupThatHasCommittedHasNoWarning() {
        talos.server.then(result(new ResetGroupResponse(List.of(moved(0), moved(1).setFromOffset(7)))));

        assertThat(talos.call("group", "reset", "orders", "shipping", "--to", "earliest", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).doesNotContain("warning");
    }
}
