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

/** The columns of the list of messages that a reader chooses. */
@Tag("full") // browser
@Tag("servers")
class ColumnsIT extends Reader {
    private static final String PAGE = "#/topics/orders/messages";
    private static final String CHOSEN = "cols=key%2Ch%3Atrace%2C%24.order.id%2C%24.order.items%5B*%5D.sku";

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 1);
        put(
                "orders",
                "{\"value\": \"{\\\"order\\\": {\\\"id\\\": 12345678901234567890, \\\"items\\\":"
                        + " [{\\\"sku\\\": \\\"A\\\"}, {\\\"sku\\\": \\\"B\\\"}]}}\","
                        + " \"key\": \"k\", \"headers\": {\"Trace\": \"4bf9\"}}",
                "{\"value\": \"no JSON\"}",
                "{\"json\": {\"order\": {\"id\": 3, \"more\": \"" + "x".repeat(40_000) + "\"}}}");
        makeTopic("others", 1);
        put("others", "{\"value\": \"paid\"}");
    }

    @AfterEach
    void forgetColumns() {
        driver().executeScript("localStorage.clear()");
    }

    private static List<String> texts(List<WebElement> cells) {
        return cells.stream().map(WebElement::getText).toList();
    }

    private List<String> titles() {
        return texts(driver().findElements(By.cssSelector(".messages thead th")));
    }

    /** Returns the cells of the row of an offset, but for the one that opens the message. */
    private List<String> row(int offset) {
        return texts(driver().findElements(By.xpath("//*[@class='messages']//tr[th//text()='0:" + offset + "']/td")));
    }

    @Test
    void chosenColumnsAreShownAndKeptForTheTopicAndInTheAddress() {
        signIn(admin());
        visit(PAGE);
        awaitText("3 messages");
        press("Columns");
        click(By.cssSelector("dialog[open] [name=time]"));
        click(By.cssSelector("dialog[open] [name=value]"));
        click(By.cssSelector("dialog[open] [name=size]"));
        type("headers", "trace");
        type("paths", "$.order.id\n$.order.items[*].sku");
        expectAccessible();
        submit();
        awaitNoDialog();

        assertThat(titles()).containsExactly("Offset", "Key", "trace", "$.order.id", "$.order.items[*].sku");
        await("fields", () -> row(0).equals(List.of("k", "4bf9", "12345678901234567890", "A, B")));
        assertThat(row(1)).containsExactly("none", "–", "–", "–");
        assertThat(row(2)).containsExactly("none", "–", "not loaded", "not loaded");
        assertThat(driver().getCurrentUrl()).contains(CHOSEN);
        visit(PAGE);
        await("columns are kept", () -> driver().getCurrentUrl().contains(CHOSEN));
        visit("#/topics/others/messages");
        awaitText("1 message");
        assertThat(titles()).containsExactly("Offset", "Time", "Key", "Value", "Size");
    }

    @Test
    void addressHasTheColumnsOfAnotherReader() {
        signIn(admin());
        visit(PAGE + "?" + CHOSEN);

        await("fields", () -> row(0).equals(List.of("k", "4bf9", "12345678901234567890", "A, B")));
        press("Columns");
        press("Default columns");

        await("default columns", () -> titles().equals(List.of("Offset", "Time", "Key", "Value", "Size")));
    }

    @Test
    void nameOfAColumnMayHaveAPercentSignAndAComma() {
        signIn(admin());
        visit(PAGE + "?cols=h%3Aa%25252C%252Cb");

        await("the name", () -> titles().equals(List.of("Offset", "a%2C,b")));
    }

    @Test
    void wrongPathIsNamed() {
        signIn(admin());
        visit(PAGE + "?cols=%24.order.,key");
        awaitText("$.order. is not a JSON path: character 8 is wrong or missing.");

        press("Columns");
        retype("paths", "order.id");

        awaitInDialog("order.id is not a JSON path: character 1 is wrong or missing.");
        assertThat(driver().findElement(By.cssSelector("dialog[open] [type=submit]"))
                        .isEnabled())
                .isFalse();
    }
}
