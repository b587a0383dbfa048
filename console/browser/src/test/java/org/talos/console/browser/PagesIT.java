// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.pagefactory.ByChained;

/** The pages beside the console, as a newcomer clicks through them. */
class PagesIT extends ConsoleTest {
    private static final By LIST_TOPICS = By.id("operations-Topics-listTopics");
    private static final By CREATE_TOPIC = By.id("operations-Topics-createTopic");

    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1", "/docs/", "/console/nothing"})
    void smallPagesBreakNoRuleOfAccessibilityAndNoPolicy(String path) {
        if (path.endsWith("nothing")) {
            expectComplaint("status of 404");
        }
        driver().get(origin() + path);

        await(By.tagName("h1"));
        expectAccessible();
    }

    @Test
    void firstPageLeadsToTheConsole() {
        driver().get(origin() + "/");
        click(By.linkText("Console"));

        await(By.id("sign-in"));
    }

    @Test
    void consoleLeadsToTheDocumentationAndToTheCalls() {
        signIn(admin());
        click(By.linkText("Documentation"));
        await(By.id("words"));
        open("");
        click(By.linkText("REST API"));

        awaitText("Calls are made as admin.");
    }

    @Test
    void documentationIsSearchedByWordsWithATypoAndShownWithoutMarks() {
        driver().get(origin() + "/docs/");
        await(By.id("words")).sendKeys("retnetion");

        awaitText(", for retention");
        await(By.xpath("//*[@id='found']//mark[.='retention']"));
        assertThat(driver().findElement(By.id("found")).getText()).doesNotContain("](", "(http");
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void callIsTriedByAClickOnceSomebodyIsSignedIn() throws Exception {
        signIn(admin());
        driver().get(origin() + "/");
        click(By.linkText("REST, call by call"));
        awaitText("Calls are made as admin.");

        click(LIST_TOPICS);
        execute(LIST_TOPICS);
        assertThat(await(answerOf(LIST_TOPICS)).getText()).startsWith("200");

        click(CREATE_TOPIC);
        WebElement body = await(new ByChained(CREATE_TOPIC, By.cssSelector("textarea.body-param__text")));
        body.clear();
        body.sendKeys("{\"name\":\"made-by-a-click\",\"partitions\":1}");
        execute(CREATE_TOPIC);
        assertThat(await(answerOf(CREATE_TOPIC)).getText()).startsWith("201");
        assertThat(rest("GET", "/v1/topics/made-by-a-click", "").statusCode()).isEqualTo(200);
    }

    private void execute(By call) {
        click(new ByChained(call, By.cssSelector("button.execute")));
    }

    private static By answerOf(By call) {
        return new ByChained(call, By.cssSelector(".live-responses-table tr.response td.response-col_status"));
    }
}
