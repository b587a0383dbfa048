// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.json.ProblemException;

@Timeout(60)
class JsonConditionTest {
    private static final String ORDER =
            "{'id':17,'total':12.50,'paid':true,'note':null,'customer':{'name':'Ann','e mail':'a@b.c'},"
                    + "'items':[{'sku':'A-1','count':2},{'sku':'B-2','count':5,'tags':['new','blue']}]}";

    private static boolean holds(String condition, String message) {
        byte[] bytes = message.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        ByteBuffer inTheMiddle = ByteBuffer.allocate(bytes.length + 20)
                .position(7)
                .put(bytes)
                .flip()
                .position(7);
        return JsonCondition.parse(condition).holds(inTheMiddle);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$",
                "$.id",
                "$.id == 17",
                "$.id==17.0",
                "$.id != 18",
                "$.id != \"17\"",
                "$.id > 16",
                "$.id >= 17",
                "$.id < 18",
                "$.id <= 17",
                "$.total == 12.5",
                "$.paid == true",
                "$.paid != false",
                "$.note == null",
                "$.note",
                "$.customer",
                "$.customer.name == \"Ann\"",
                "$.customer.name < \"Bob\"",
                "$['customer']['e mail'] == \"a@b.c\"",
                "$.customer[\"e mail\"]",
                "$.items[1].sku == \"B-2\"",
                "$.items[*].count == 5",
                "$.items[1].tags[*] == \"blue\"",
                "$.*.name",
                "$.items[*].*[1] == \"blue\"",
                "$.*[*].tags"
            })
    void conditionHoldsSomewhere(String condition) {
        assertThat(holds(condition, ORDER)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$.ID",
                "$.id == 18",
                "$.id == \"17\"",
                "$.id < 17",
                "$.id == true",
                "$.paid == false",
                "$.paid == \"true\"",
                "$.paid > false",
                "$.note == false",
                "$.customer == \"Ann\"",
                "$.customer.name.first",
                "$.customer[0]",
                "$.items.sku",
                "$.items[2]",
                "$.items[0].tags",
                "$[0]",
                "$.items[*].count == 3"
            })
    void conditionHoldsNowhere(String condition) {
        assertThat(holds(condition, ORDER)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain text", "{", "{'id'", "{'id':", "[1,", "\u0000", "{'a':1}{'id':17}"})
    void messageThatIsNoJsonUpToTheMatchDoesNotMatch(String message) {
        assertThat(holds("$.id", message)).isFalse();
        assertThat(holds("$.id == 17", message)).isFalse();
    }

    @Test
    void numberBeyondAllNumbersIsThereAndEqualsNone() {
        assertThat(holds("$.id", "{'id':17e99999999999}")).isTrue();
        assertThat(holds("$.id == 17", "{'id':17e99999999999}")).isFalse();
        assertThat(holds("$.id == 17", "{'id':" + "1".repeat(500) + "}")).isFalse();
        assertThat(holds("$.id == 1e100000000", "{'id':1e99999999}")).isFalse();
    }

    @Test
    void oneOfSeveralMembersOfTheNameIsEnough() {
        assertThat(holds("$.a == 2", "{'a':1,'a':2}")).isTrue();
    }

    @Test
    void messageThatIsDeepIsReadWithoutRecursion() {
        String deep = "[".repeat(900) + "]".repeat(900);

        assertThat(holds("$.id == 17", "{'deep':" + deep + ",'id':17}")).isTrue();
        assertThat(holds("$.id", "[".repeat(1_000_000))).isFalse();
    }

    @Test
    void manyAnysTakeTimeInProportionToTheMessage() {
        String wide = "{'a':[" + "{'b':{'c':[1,2,3]}},".repeat(100_000) + "0]}";

        assertThat(holds("$.*[*].*.*[*] == 4", wide)).isFalse();
        assertThat(holds("$.*[*].*.*[*] == 3", wide)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "id",
                "$.",
                "$..id",
                "$.id =",
                "$.id = 17",
                "$.id == ",
                "$.id == seventeen",
                "$.id == [1]",
                "$.id == {}",
                "$.id == 1 2",
                "$.id =~ /x/",
                "$.items[",
                "$.items[]",
                "$.items[-1]",
                "$.items[1",
                "$.items[9999999999]",
                "$.items[?(@.a)]",
                "$['a",
                "$.id and",
                "$.a b"
            })
    void textThatIsNoConditionIsRefusedByItsPlace(String condition) {
        assertThatThrownBy(() -> JsonCondition.parse(condition)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().status()).isEqualTo(400);
            assertThat(e.problem().detail()).contains("jsonPath", "expected");
        });
    }

    @Test
    void conditionIsBounded() {
        assertThatThrownBy(() -> JsonCondition.parse("$" + ".a".repeat(33))).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> JsonCondition.parse("$['" + "a".repeat(1_100) + "']"))
                .isInstanceOf(ProblemException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "$.b == 1, true", // the text before is skipped
        "$.a == \"x\", false",
        "$.a != \"x\", true",
        "$.a > \"a\", false"
    })
    void textThatIsTooLongToBeComparedDiffersFromAll(String condition, boolean holds) {
        String message = "{'a':'" + "x".repeat(4 << 20) + "','b':1}";
        assertThat(holds(condition, message)).isEqualTo(holds);

        assertThat(allocated(condition, message)).isLessThan(1 << 20);
    }

    @Test
    void digitsAreNotCollected() {
        String message = "[" + "1".repeat(4 << 20) + "]";
        assertThat(holds("$[0] > 1", message)).isFalse();

        assertThat(allocated("$[0] > 1", message)).isLessThan(1 << 20);
    }

    private static long allocated(String condition, String message) {
        ByteBuffer bytes = ByteBuffer.wrap(message.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        var unused = JsonCondition.parse(condition).holds(bytes.asReadOnlyBuffer());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
