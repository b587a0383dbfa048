// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Objects;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.support.pagefactory.ByChained;

/** Tests that use the console as a reader does: by what stands on its buttons. Confined: one test at a time. */
abstract class Reader extends ConsoleTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BY_TEXT = "//%s[not(ancestor::dialog[not(@open)])][normalize-space(.)='%s']";

    private final HttpClient http = HttpClient.newHttpClient();

    /** Goes to an address of the console, as somebody who is signed in. */
    void visit(String address) {
        driver().get("about:blank"); // or only what is behind # changes, which loads nothing
        open(address);
        await(By.cssSelector("[data-signed-in] main h1"));
    }

    /** Clicks the button of this text; the last one, which is that of the dialog if one is open. */
    void press(String text) {
        String button = String.format(Locale.ROOT, BY_TEXT, "button", text);
        click(By.xpath("(" + button + ")[last()]"));
    }

    /** Follows the link of this text. */
    void follow(String text) {
        click(By.xpath(String.format(Locale.ROOT, BY_TEXT, "a", text)));
    }

    /** Types into the field of this name, which is in the dialog if one is open. */
    void type(String name, String text) {
        await(field(name)).sendKeys(text);
    }

    /** Types into the field of this name in place of what it has. */
    void retype(String name, String text) {
        type(name, Keys.chord(Keys.CONTROL, "a") + text);
    }

    /** Chooses a value of the field of this name. */
    void choose(String name, String value) {
        click(new ByChained(field(name), By.cssSelector(String.format(Locale.ROOT, "option[value='%s']", value))));
    }

    private static By field(String name) {
        return By.cssSelector(
                String.format(Locale.ROOT, "dialog[open] [name=%1$s], body:not(:has(dialog[open])) [name=%1$s]", name));
    }

    /** Does what the open dialog is for. */
    void submit() {
        click(By.cssSelector("dialog[open] [type=submit]"));
    }

    /** Waits for a text in the open dialog. */
    void awaitInDialog(String text) {
        await(
                text,
                () -> driver().findElements(By.cssSelector("dialog[open]")).stream()
                        .anyMatch(dialog -> dialog.getText().contains(text)));
    }

    /** Waits until no dialog is open. */
    void awaitNoDialog() {
        await(
                "no dialog",
                () -> driver().findElements(By.cssSelector("dialog[open]")).isEmpty());
    }

    /** The JSON that the server answers to the administrator, having done it. */
    JsonNode done(String method, String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> answer = rest(method, path, body);
        assertThat(answer.statusCode())
                .as("%s %s: %s", method, path, answer.body())
                .isBetween(200, 299);
        return JSON.readTree(answer.body());
    }

    /** Makes a topic. */
    void makeTopic(String name, int partitions) throws IOException, InterruptedException {
        done(
                "POST",
                "/v1/topics",
                String.format(Locale.ROOT, "{\"name\": \"%s\", \"partitions\": %d}", name, partitions));
    }

    /** Puts messages, given as JSON. */
    void put(String topic, String... messages) throws IOException, InterruptedException {
        done("POST", "/v1/topics/" + topic + "/messages", "{\"messages\": [" + String.join(",", messages) + "]}");
    }

    /** Puts one message of any size into the first partition. */
    void putText(String topic, String text) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(origin() + "/v1/topics/" + topic + "/partitions/0/messages"))
                .header("Authorization", admin().basic())
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString(text))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    /** The bytes that a file of the console takes on its way to a browser. */
    long compressedSize(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Accept-Encoding", "gzip")
                .build();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).as(url).isEqualTo(200);
        return answer.body().length;
    }

    /** The value of a call of a function that a module of the console exports. */
    Object called(String module, String call) {
        String script = String.format(Locale.ROOT, """
                const done = arguments[arguments.length - 1];
                const file = new URL("%s", document.querySelector("script[type=module]").src);
                import(file).then(module => done(module.%s), failure => done(String(failure)));
                """, module, call);
        return Objects.requireNonNull(driver().executeAsyncScript(script));
    }

    /** The number that a script gives. */
    long count(String script) {
        return (Long) driver().executeScript("return " + script);
    }
}
