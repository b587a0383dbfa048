// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.done;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is deleted before somebody has said so. */
@Timeout(30)
class ConfirmationTest {
    @AutoClose
    private final ScriptedCommand talos;

    ConfirmationTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    @ParameterizedTest
    @CsvSource({
        "topic delete orders, the topic orders with all its messages",
        "group delete orders shipping, the offsets of the group shipping of orders",
        "user remove bob, the user bob with their key"
    })
    void deletionWithoutATerminalNeedsTheOption(String line, String lost) {
        assertThat(talos.in("yes\norders\n").call(line.split(" "))).isEqualTo(2);

        assertThat(talos.err()).startsWith("talos: this deletes " + lost + ": ").contains("--yes");
        assertThat(talos.server.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--yes", "-y"})
    void deletionWithTheOptionAsksNothing(String option) {
        talos.server.then(ScriptedCommand.topic(1)).then(done());

        assertThat(talos.typing("").call("topic", "delete", "orders", option)).isZero();

        assertThat(talos.out()).isEqualTo("deleted orders\n");
        assertThat(talos.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"topic delete orders, orders", "group delete orders shipping, shipping"})
    void nameThatIsTypedConfirms(String line, String name) {
        talos.server.then(ScriptedCommand.topic(1)).then(done());

        assertThat(talos.typing(name + "\n").call(line.split(" "))).isZero();

        assertThat(talos.err()).startsWith("This deletes ").endsWith("To continue, type " + name + ": ");
        assertThat(talos.out()).isEqualTo("deleted " + name + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "y\n", "yes\n", "order\n", "Orders\n"})
    void whatElseIsTypedDoesNot(String typed) {
        assertThat(talos.typing(typed).call("topic", "delete", "orders")).isEqualTo(1);

        assertThat(talos.err()).endsWith("talos: not confirmed: nothing is deleted\n");
        assertThat(talos.server.asked()).isEmpty();
    }

    @Test
    void questionIsNotPartOfTheDocument() {
        talos.server.then(done());

        assertThat(talos.typing("bob\n").call("user", "remove", "bob", "-o", "json"))
                .isZero();

        assertThat(talos.out()).isEqualTo("{\"done\":\"removed\",\"user\":\"bob\"}\n");
    }
}
