// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageSelectionTest {
    private static final NameFilter ALL = NameFilter.of("", "");

    private final Map<String, OptionalLong> rows = new TreeMap<>();

    private void row(String name, long figure) {
        rows.put(name, OptionalLong.of(figure));
    }

    private ListPage<String> page(ListOrder order, Optional<String> token, int limit) {
        Optional<ListPlace> after = token.map(text -> order.place(text).orElseThrow());
        PageSelection<String> selection = new PageSelection<>(new ListQuery(ALL, order, after, limit));
        rows.forEach((name, figure) -> selection.add(new ListPlace(figure, name), name));
        return selection.page();
    }

    /** Reads all pages. */
    private List<String> all(ListOrder order, int limit) {
        List<String> all = new ArrayList<>();
        Optional<String> token = Optional.empty();
        do {
            ListPage<String> page = page(order, token, limit);
            assertThat(page.total()).isEqualTo(rows.size());
            all.addAll(page.rows());
            token = page.next();
        } while (token.isPresent());
        return all;
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "4", "5", "6", "100"})
    void pagesHaveEachRowOnceInTheirOrder(int limit) {
        row("a", 5);
        row("b", 7);
        row("c", 5);
        row("d", 1);
        rows.put("e", OptionalLong.empty());

        assertThat(all(new ListOrder(true, false), limit)).containsExactly("d", "a", "c", "b", "e");
        assertThat(all(new ListOrder(true, true), limit)).containsExactly("b", "a", "c", "d", "e");
        assertThat(all(new ListOrder(false, false), limit)).containsExactly("a", "b", "c", "d", "e");
        assertThat(all(new ListOrder(false, true), limit)).containsExactly("e", "d", "c", "b", "a");
    }

    @Test
    void rowsThatComeAndGoMoveNoOtherToAnotherPage() {
        ListOrder largest = new ListOrder(true, true);
        row("a", 9);
        row("b", 8);
        row("c", 8);
        row("d", 7);
        ListPage<String> first = page(largest, Optional.empty(), 2);
        assertThat(first.rows()).containsExactly("a", "b");

        rows.remove("b"); // the place behind which the next page begins
        row("larger", 10);
        row("new", 7);

        ListPage<String> second = page(largest, first.next(), 2);
        assertThat(second.rows()).containsExactly("c", "d");
        assertThat(second.total()).isEqualTo(5);
        ListPage<String> third = page(largest, second.next(), 2);
        assertThat(third.rows()).containsExactly("new");
        assertThat(third.next()).isEmpty();
    }

    @Test
    void pageBehindTheLastRowIsEmptyAndCountsAll() {
        row("a", 1);

        ListPage<String> page = page(new ListOrder(false, false), Optional.of("b"), 10);

        assertThat(page.rows()).isEmpty();
        assertThat(page.total()).isEqualTo(1);
        assertThat(page.next()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"orders", "'x,orders'", "'9999999999999999999,orders'"})
    void textThatIsNoPlaceByFigureIsNone(String text) {
        assertThat(new ListOrder(true, false).place(text)).isEmpty();
        assertThat(new ListOrder(false, false).place(text)).contains(ListPlace.of(text));
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', true",
        "ORD, '', true",
        "ord alice, '', true",
        "ord bob, '', false",
        "'', Ord, true",
        "'', ord, false",
        "'  ', Orders-EU, true",
    })
    void wordsIgnoreCaseAndPrefixesDoNot(String contains, String prefix, boolean matches) {
        assertThat(NameFilter.of(contains, prefix).matches("Orders-EU", "alice"))
                .isEqualTo(matches);
    }
}
