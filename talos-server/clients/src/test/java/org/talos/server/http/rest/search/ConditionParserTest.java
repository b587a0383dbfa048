// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;

/** The conditions of a search that are given as JSON; the tests write ' for ". */
class ConditionParserTest {
    private static final String VALUE =
            "{'order': {'id': 'A-17', 'total': 12.50, 'paid': true}, 'items': [{'sku': 'x'}, {'sku': 'ÿ'}]}";

    private static Message message() {
        Message message = new Message(bytes(VALUE.replace('\'', '"')));
        message.setPartitionKey("order-17");
        message.setHeaders(Map.of("Trace", bytes("4bf9"), "empty", bytes("")));
        return message;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static List<SearchCondition> parse(String conditions) {
        return ConditionParser.parse(conditions.replace('\'', '"'));
    }

    private static boolean holds(String condition, Message message) {
        return parse("[" + condition + "]").stream().allMatch(each -> each.holds(message, new SearchWork()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'field': 'key', 'is': 'equals', 'text': 'order-17'} | true",
                "{'field': 'key', 'is': 'equals', 'text': 'order'} | false",
                "{'field': 'key', 'is': 'contains', 'text': 'rder-1'} | true",
                "{'field': 'key', 'is': 'matches', 'text': '^order-[0-9]+$'} | true",
                "{'field': 'key', 'is': 'matches', 'text': '^rder'} | false",
                "{'field': 'key', 'is': 'exists', 'not': true} | false",
                "{'field': 'value', 'is': 'contains', 'text': 'A-17'} | true",
                "{'field': 'value', 'is': 'contains', 'text': 'a-17'} | false",
                "{'field': 'value', 'is': 'matches', 'text': '(?i)a-17'} | true",
                "{'field': 'value', 'is': 'equals', 'text': ''} | false",
                "{'field': 'header', 'name': 'TRACE', 'is': 'equals', 'text': '4bf9'} | true",
                "{'field': 'header', 'name': 'trace', 'is': 'contains', 'text': 'bf'} | true",
                "{'field': 'header', 'name': 'empty', 'is': 'equals', 'text': ''} | true",
                "{'field': 'header', 'name': 'other', 'is': 'equals', 'text': '4bf9', 'not': true} | true",
                "{'field': 'json', 'name': '$.order.id', 'is': 'equals', 'text': 'A-17'} | true",
                "{'field': 'json', 'name': '$.order.total', 'is': 'equals', 'text': '12.50'} | true",
                "{'field': 'json', 'name': '$.order.paid', 'is': 'matches', 'text': 'true'} | true",
                "{'field': 'json', 'name': '$.order', 'is': 'contains', 'text': 'A'} | false",
                "{'field': 'json', 'name': '$.items[*].sku', 'is': 'contains', 'text': 'ÿ'} | true",
                "{'field': 'json', 'name': '$.order.total > 12', 'is': 'exists'} | true",
                "{'field': 'json', 'name': '$.order.total > 13', 'is': 'exists', 'not': true} | true",
                "{'field': 'json', 'name': '$.order.none', 'is': 'exists'} | false",
            })
    void conditionIsAboutOnePartOfAMessage(String condition, boolean holds) {
        assertThat(holds(condition, message())).isEqualTo(holds);
    }

    @Test
    void messageWithoutAPartHoldsOnlyWhatIsNegated() {
        Message empty = new Message(bytes(""));

        assertThat(holds("{'field': 'key', 'is': 'contains', 'text': 'a'}", empty))
                .isFalse();
        assertThat(holds("{'field': 'header', 'name': 'h', 'is': 'exists', 'not': true}", empty))
                .isTrue();
        assertThat(holds("{'field': 'json', 'name': '$', 'is': 'exists', 'not': true}", empty))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "key",
                "{}",
                "[1]",
                "[{}]",
                "[]}, 'more': [1",
                "[{'field': 'tag', 'is': 'exists'}]",
                "[{'field': 'key', 'is': 'like', 'text': 'a'}]",
                "[{'field': 'key', 'is': 'equals'}]",
                "[{'field': 'key', 'is': 'exists', 'text': 'a'}]",
                "[{'field': 'key', 'name': 'a', 'is': 'exists'}]",
                "[{'field': 'header', 'is': 'exists'}]",
                "[{'field': 'value', 'is': 'contains', 'text': ''}]",
                "[{'field': 'value', 'is': 'matches', 'text': '('}]",
                "[{'field': 'value', 'is': 'matches', 'text': 'a{9}'}]",
                "[{'field': 'json', 'name': 'order', 'is': 'exists'}]",
                "[{'field': 'json', 'name': '$.a > 1', 'is': 'equals', 'text': '2'}]",
            })
    void wrongConditionIsRefused(String conditions) {
        assertThatThrownBy(() -> parse(conditions))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(400));
    }

    @Test
    void conditionsAreBounded() {
        String condition = "{'field': 'key', 'is': 'exists'}";
        String expression = "{'field': 'key', 'is': 'matches', 'text': '" + "a".repeat(257) + "'}";
        String text = "{'field': 'key', 'is': 'equals', 'text': '" + "a".repeat(1_025) + "'}";

        assertThat(parse("[" + condition + ",".concat(condition).repeat(15) + "]"))
                .hasSize(16);
        assertThatThrownBy(() -> parse("[" + condition + ",".concat(condition).repeat(16) + "]"))
                .isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> parse("[" + expression + "]")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> parse("[" + text + "]")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> parse("[" + " ".repeat(4_096) + "]")).isInstanceOf(ProblemException.class);
    }

    @Test
    void expressionsAreBoundedTogether() {
        String condition = "{'field': 'value', 'is': 'matches', 'text': '" + "a*".repeat(128) + "'}";

        assertThat(parse("[" + condition + ",".concat(condition).repeat(2) + "]"))
                .hasSize(3);
        assertThatThrownBy(() -> parse("[" + condition + ",".concat(condition).repeat(5) + "]"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("1024 instructions");
    }

    @Test
    void manyTextsOfAMessageTakeNoMoreWorkThanOne() {
        String condition = "{'field': 'json', 'name': '$[*]', 'is': 'matches', 'text': 'end'}";

        assertThat(holds(condition, new Message(bytes("[" + "\"\",".repeat(1_000) + "\"end\"]"))))
                .isTrue();
        assertThat(holds(condition, new Message(bytes("[" + "\"\",".repeat(300_000) + "\"end\"]"))))
                .isFalse();
    }

    @Test
    void expressionIsSearchedInTheBeginningOfALongText() {
        String condition = "{'field': 'value', 'is': 'matches', 'text': 'end'}";
        String filler = "x".repeat(TextTest.MAX_MATCHED_BYTES - 3);

        assertThat(holds(condition, new Message(bytes(filler + "end")))).isTrue();
        assertThat(holds(condition, new Message(bytes(filler + "xend")))).isFalse();
    }
}
