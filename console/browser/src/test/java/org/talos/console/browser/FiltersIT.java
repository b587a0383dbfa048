// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** Filters of several conditions, and filters that a reader saves. */
@Tag("full") // browser
@Tag("servers")
class FiltersIT extends Reader {
    private static final String PAGE = "#/topics/orders/messages";

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 1);
        put(
                "orders",
                "{\"value\": \"paid\", \"key\": \"order-17\", \"headers\": {\"trace\": \"4bf9\"}}",
                "{\"value\": \"sent\", \"key\": \"order-18\"}",
                "{\"value\": \"paid\", \"key\": \"order-19\"}",
                "{\"value\": \"paid\", \"key\": \"other\"}");
    }

    @AfterEach
    void forgetFilters() {
        driver().executeScript("localStorage.clear()");
    }

    private void openFilters() {
        visit(PAGE);
        awaitText("4 messages");
        click(By.cssSelector("main form summary"));
    }

    private void awaitOffsets(String... offsets) {
        await(
                "offsets " + String.join(" ", offsets),
                () -> driver().findElements(By.cssSelector(".messages tbody tr th button")).stream()
                        .map(WebElement::getText)
                        .map(text -> text.lines().findFirst().orElse(""))
                        .toList()
                        .equals(List.of(offsets)));
    }

    private void addConditions() {
        press("Add a condition");
        choose("field0", "key");
        choose("test0", "matches");
        type("text0", "^order-1[0-9]$");
        press("Add a condition");
        choose("field1", "header");
        type("name1", "Trace");
        choose("test1", "not exists");
        press("Add a condition"); // which is empty, and filters nothing
    }

    @Test
    void conditionsAllHoldAndAreInTheAddress() {
        signIn(admin());
        openFilters();
        addConditions();
        press("Show");

        awaitOffsets("0:2", "0:1");
        awaitText("2 filters are on");
        expectAccessible();
        String address = driver().getCurrentUrl();
        visit(address.substring(address.indexOf('#')));
        awaitOffsets("0:2", "0:1");
        press("Remove condition 2");
        press("Show");

        awaitOffsets("0:2", "0:1", "0:0");
        press("Clear filters");
        awaitOffsets("0:3", "0:2", "0:1", "0:0");
    }

    @Test
    void savedFilterIsThereAgain() {
        signIn(admin());
        openFilters();
        addConditions();
        type("filterName", "mine");
        press("Save filter");

        openFilters();
        choose("saved", "mine");

        awaitOffsets("0:2", "0:1");
        press("Delete filter");
        openFilters();
        assertThat(driver().findElements(By.name("saved"))).isEmpty();
    }

    @Test
    void wrongExpressionIsNamed() {
        expectComplaint("status of 400");
        signIn(admin());
        openFilters();
        press("Add a condition");
        choose("test0", "matches");
        type("text0", "(");

        press("Show");

        awaitText("a regular expression of RE2");
    }
}
