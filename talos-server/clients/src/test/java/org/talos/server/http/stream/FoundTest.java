// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

class FoundTest {
    @ParameterizedTest
    @CsvSource({"1, x", "100, x", "1000, x", "10000, é", "1000, '\"'", "20000, x"})
    void textHoldsLittleMoreThanItsBytes(int characters, String character) {
        MemoryBudget budget = new MemoryBudget(16 << 20);
        RequestMemory held = new RequestMemory(budget.of("user"));
        Message message =
                new Message(ByteBuffer.wrap(character.repeat(characters).getBytes(UTF_8)));
        MessageJson.Prepared prepared = MessageJson.prepare(new MessageAndOffset(message, 7), MessageJson.Form.AUTO);

        Found.Text text = Found.Text.of(7, () -> JsonMessages.message(0, 8, prepared), 1 << 20, held);

        assertThat(text.memory()).isEqualTo(budget.used());
        assertThat(text.memory())
                .isBetween(Outgoing.memory(text.cost()), Outgoing.memory(text.cost() + text.cost() / 7));
    }
}
