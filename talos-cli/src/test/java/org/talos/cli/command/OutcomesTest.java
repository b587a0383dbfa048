// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.cli.command.ScriptedCommand.NOTHING;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListPendingQuotaResponse;
import org.talos.thrift.ListQuotaResponse;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.RevokeQuotaResponse;
import org.talos.thrift.User;

/** Tests the outcomes that commands report, and the user in whose name they act. */
@Timeout(30)
class OutcomesTest {
    private final Path home;

    @AutoClose
    private final ScriptedCommand talos;

    OutcomesTest(@TempDir Path home) throws IOException {
        this.home = home;
        talos = new ScriptedCommand(home);
    }

    private List<String> asked() {
        return talos.server.asked().stream()
                .map(each -> each.uri().replaceAll(".*type=", ""))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic list",
                "topic describe orders",
                "topic rights orders",
                "get orders",
                "get orders --follow",
                "group list orders",
                "group describe orders g",
                "group reset orders g --to earliest",
                "user list",
                "quota show",
                "quota show --topic orders",
                "quota list",
                "quota orgs"
            })
    void readWithoutAnAnswerHasNoEffect(String line) {
        talos.server.otherwise(NOTHING);

        assertThat(talos.call(line.split(" "))).isEqualTo(1);
        assertThat(talos.call((line + " -o json").split(" "))).isEqualTo(1);

        assertThat(talos.err()).doesNotContain("may have happened").contains("\"outcome\":\"did-not-happen\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic delete orders --yes",
                "topic alter orders --retention 2h",
                "topic grant orders bob put",
                "topic revoke orders bob",
                "group delete orders g --yes",
                "quota set --topic orders --puts 1",
                "quota delete --topic orders",
                "quota refuse CL1",
                "quota take-back CL1"
            })
    void changeThatFailsAtItsLookUpHasNoEffect(String line) {
        talos.server.otherwise(NOTHING);

        assertThat(talos.call((line + " -o json").split(" "))).isEqualTo(1);

        assertThat(talos.err()).contains("\"outcome\":\"did-not-happen\"");
        assertThat(asked()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user add bob",
                "user remove bob --yes",
                "topic create orders",
                "quota set --user bob --puts 1",
                "quota delete --user bob",
                "quota apply CL1 5",
                "quota approve CL1 5",
                "group grant orders g ann commit",
                "group revoke orders g ann",
                "group reset orders g --to earliest --execute"
            })
    void changeWithoutAnAnswerMayHaveHappened(String line) {
        talos.server.otherwise(NOTHING);

        assertThat(talos.call(line.split(" "))).isEqualTo(4);

        assertThat(talos.err()).endsWith("(it may have happened)\n");
    }

    @Test
    void lookUpOfTheOtherPartitionsIsNoEffect() {
        talos.server.then(ScriptedCommand.topic(1)).otherwise(NOTHING);

        assertThat(talos.call("topic", "describe", "orders")).isEqualTo(1);
        assertThat(talos.err()).doesNotContain("may have happened");
    }

    @Test
    void changeWhoseAnswerCantBePrintedIsDone() {
        talos.server.then(done());

        assertThat(talos.withoutRoomForOutput().call("quota", "delete", "--user", "bob", "-o", "json"))
                .isEqualTo(5);
        assertThat(talos.err()).contains("\"message\":\"done, but ", "\"outcome\":\"partly\"");
    }

    @ParameterizedTest
    @CsvSource({"AK, ''", "'', s", "'', ''", "AK, ", ", s"})
    void halfAKeyInTheEnvironmentIsNotTheAdministrators(String accessKey, String secretKey) throws IOException {
        talos.environment.keySet().removeAll(List.of("TALOS_ACCESS_KEY", "TALOS_SECRET_KEY"));
        if (accessKey != null) {
            talos.environment.put("TALOS_ACCESS_KEY", accessKey);
        }
        if (secretKey != null) {
            talos.environment.put("TALOS_SECRET_KEY", secretKey);
        }
        Files.createDirectories(home.resolve("data"));
        Files.writeString(home.resolve("data/admin.credentials"), "accessKey=AKADMIN\nsecretKey=s\n");

        assertThat(talos.call("user", "list")).isEqualTo(1);

        assertThat(talos.err()).contains("TALOS_ACCESS_KEY", "TALOS_SECRET_KEY", "both");
        assertThat(asked()).isEmpty();
    }

    @Test
    void unknownUserIsNotThere() {
        talos.server
                .then(error(ErrorCode.INVALID_TOPIC_PARAMS, "there is no such user"))
                .then(result(new ListUsersResponse(List.of(new User("ann", "AK1", false, List.of(), List.of(), 1)))));

        assertThat(talos.call("user", "remove", "bob", "--yes")).isEqualTo(3);
        assertThat(talos.err()).isEqualTo("talos: no user 'bob'\n");
    }

    @Test
    void userWhoIsThereButNotRemovedIsAnotherFailure() {
        talos.server
                .then(error(ErrorCode.INVALID_TOPIC_PARAMS, "the last administrator"))
                .then(result(new ListUsersResponse(List.of(new User("bob", "AK1", true, List.of(), List.of(), 1)))));

        assertThat(talos.call("user", "remove", "bob", "--yes")).isEqualTo(1);
        assertThat(talos.err()).contains("the last administrator");
    }

    private void orgs(List<PartitionQuotaInfo> approved, List<PartitionQuotaInfo> waiting) {
        talos.server.then(result(new ListQuotaResponse(approved, 0)));
        talos.server.then(result(new ListPendingQuotaResponse(waiting, true)));
        talos.server.then(result(new RevokeQuotaResponse(List.of(), true)));
    }

    @Test
    void refusalTakesNothingBack() {
        orgs(List.of(new PartitionQuotaInfo("CL1", 64)), List.of());

        assertThat(talos.call("quota", "refuse", "CL1")).isEqualTo(3);

        assertThat(talos.err()).contains("CL1 has asked for nothing");
        assertThat(asked()).doesNotContain("revokeQuota");
    }

    @Test
    void takingBackRefusesNothing() {
        orgs(List.of(new PartitionQuotaInfo("CL1", 64)), List.of(new PartitionQuotaInfo("CL1", 80)));

        assertThat(talos.call("quota", "take-back", "CL1")).isEqualTo(1);

        assertThat(talos.err()).contains("CL1 has asked for 80");
        assertThat(asked()).doesNotContain("revokeQuota");
    }

    @Test
    void applicationIsRefusedAndQuotaTakenBack() {
        orgs(List.of(), List.of(new PartitionQuotaInfo("CL1", 80)));
        orgs(List.of(new PartitionQuotaInfo("CL1", 64)), List.of());

        assertThat(talos.call("quota", "refuse", "CL1")).isZero();
        assertThat(talos.call("quota", "take-back", "CL1")).isZero();

        assertThat(talos.out()).isEqualTo("refused\ntaken back\n");
        assertThat(asked()).filteredOn("revokeQuota"::equals).hasSize(2);
    }

    @Test
    void orgWithoutAQuotaHasNothingToRevoke() {
        orgs(List.of(), List.of());

        assertThat(talos.call("quota", "take-back", "CL1")).isEqualTo(3);
        assertThat(talos.err()).contains("CL1 has no quota");
    }
}
