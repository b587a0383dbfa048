// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** Messages in CBOR and MessagePack, as the console shows them. */
@Tag("full") // browser
@Tag("servers")
class BinaryIT extends Reader {
    /** Returns the text of bytes, given as hexadecimal digits, in the format that is named; empty if they are not. */
    private Object text(String hex, String format) {
        return called("binary.js", String.format(Locale.ROOT, """
                decoded(Uint8Array.from("%s".match(/../g) ?? [], each => parseInt(each, 16)), "%s")
                    .find(each => each.id === "%2$s")?.text ?? ""
                """.strip(), hex, format));
    }

    /** Most are from appendix A of RFC 8949. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1bffffffffffffffff | 18446744073709551615",
                "3bffffffffffffffff | -18446744073709551616",
                "f90001 | 5.960464477539063e-8",
                "f97c00 | \"Infinity\"",
                "fb3ff199999999999a | 1.1",
                "f7 | \"undefined\"",
                "f8ff | \"simple(255)\"",
                "4401020304 | \"h'01020304'\"",
                "c074323031332d30332d32315432303a30343a30305a | {\"tag 0\":\"2013-03-21T20:04:00Z\"}",
                "a201020304 | {\"1\":2,\"3\":4}",
                "a26161016162820203 | {\"a\":1,\"b\":[2,3]}",
                "5f42010243030405ff | \"h'0102030405'\"",
                "bf61610161629f0203ffff | {\"a\":1,\"b\":[2,3]}",
            })
    void cborIsShownAsJson(String hex, String json) {
        open("");

        assertThat(text(hex, "cbor")).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cfffffffffffffffff | 18446744073709551615",
                "d38000000000000000 | -9223372036854775808",
                "e0 | -32",
                "ca3fc00000 | 1.5",
                "c40201ff | \"h'01ff'\"",
                "82a7636f6d70616374c3a6736368656d6100 | {\"compact\":true,\"schema\":0}",
                "dc00020102 | [1,2]",
                "d405aa | {\"extension 5\":\"h'aa'\"}",
            })
    void messagePackIsShownAsJson(String hex, String json) {
        open("");

        assertThat(text(hex, "msgpack")).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "18", "1c", "ff", "5f6161ff", "9f", "8301", "a101", "9b7fffffffffffffff", "6161ff"})
    void bytesThatAreNotCborAreNotShownAsIt(String hex) {
        open("");

        assertThat(text(hex, "cbor")).isEqualTo("");
        assertThat(text("81".repeat(1_000) + "00", "cbor")).isEqualTo(""); // too deep
        assertThat(text("a1".repeat(60) + "6122" + "00".repeat(60), "cbor")).isEqualTo(""); // names within names
    }

    private List<String> views() {
        return driver().findElements(By.cssSelector("dialog[open] [aria-pressed]")).stream()
                .map(WebElement::getText)
                .toList();
    }

    @Test
    void formatIsFoundInTheBytesOrNamedByTheContentType() throws Exception {
        makeTopic("binary", 1);
        put(
                "binary",
                "{\"base64\": \"gaFhAQ==\"}", // {"a": 1} in MessagePack
                "{\"base64\": \"gA==\"}", // an empty list in CBOR, or an empty object in MessagePack
                "{\"base64\": \"gA==\", \"headers\": {\"content-type\": \"application/cbor\"}}",
                "{\"base64\": \"/wD+\"}");
        signIn(admin());

        visit("#/topics/binary/messages?m=0.0");
        awaitInDialog("\"a\"");
        assertThat(views()).containsExactly("MessagePack", "Hexadecimal");
        press("Hexadecimal");
        awaitInDialog("81 a1 61 01");
        visit("#/topics/binary/messages?m=0.1");
        awaitInDialog("Hexadecimal");
        assertThat(views()).containsExactly("MessagePack", "CBOR", "Hexadecimal");
        visit("#/topics/binary/messages?m=0.2");
        awaitInDialog("Hexadecimal");
        assertThat(views()).containsExactly("CBOR", "MessagePack", "Hexadecimal");
        visit("#/topics/binary/messages?m=0.3");
        awaitInDialog("Hexadecimal");
        assertThat(views()).containsExactly("Hexadecimal");
    }
}
