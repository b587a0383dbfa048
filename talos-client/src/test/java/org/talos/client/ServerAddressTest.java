// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8080, http://127.0.0.1:8080",
        "HTTP://Talos-1:8080/, http://Talos-1:8080",
        "Https://talos.example.org, https://talos.example.org",
        "http://[::1]:8080, http://[::1]:8080",
        "https://[2001:db8::7]/queue/, https://[2001:db8::7]/queue",
        "http://proxy/a/talos//, http://proxy/a/talos",
        "' http://127.0.0.1:8080 ', http://127.0.0.1:8080"
    })
    void addressIsReadAsUsersWriteIt(String text, String address) {
        assertThat(ServerAddress.of(text)).hasToString(address);
        assertThat(ServerAddress.of(URI.create(text.strip()))).hasToString(address);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "localhost            | http:// or https:// is missing",
                "localhost:8080       | http:// or https:// is missing",
                "127.0.0.1:8080       | http:// or https:// is missing",
                "``                   | http:// or https:// is missing",
                "ftp://talos          | the scheme is ftp (expected: http or https)",
                "http:///v1           | the host is missing",
                "http://a b:1         | no URL: Illegal character in authority",
                "http://my_host:8080  | the host name my_host has an underscore, which Java's HTTP client does not take",
                "http://münchen:8080  | 'münchen' is not a name of a host",
                "http://::1:8080      | an IPv6 address stands in brackets, as in http://[::1]:8080",
                "http://host:80a      | '80a' is not a port",
                "http://host:0        | port 0 (expected: 1 to 65535)",
                "http://host:65536    | port 65536 (expected: 1 to 65535)",
                "http://host?a=b      | a query or fragment does not belong there",
                "http://host/#top     | a query or fragment does not belong there"
            })
    void whatIsNoAddressIsRefusedWithTheReason(String text, String reason) {
        assertThatThrownBy(() -> ServerAddress.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("endpoint " + (text.isEmpty() ? "''" : text) + ": " + reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://ann:Sesame@host:8080",
                "http://ann:Sesame@my_host",
                "http://ann:Se^Sesame@host",
                "http://ann:Sesame/x@host",
                "http://ann:Sesame#x@host",
                "http://ann:Sesame?x@host",
                "http://Sesame@host",
                "ann:Sesame@host"
            })
    void passwordIsRefusedAndShownNowhere(String text) {
        assertThatThrownBy(() -> ServerAddress.of(text))
                .satisfies(e -> assertThat(text(e)).contains("***@").doesNotContain("Sesame"));
    }

    /** With all that -v would print. */
    private static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            text.append(each);
        }
        return text.toString();
    }

    @Test
    void userIsRefusedByName() {
        assertThatThrownBy(() -> ClientConfig.of(URI.create("http://ann:pw@host:8080"), "AK", "s"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("endpoint http://***@host:8080: a user or password does not belong there");
        assertThatThrownBy(() -> new TalosEndpoint(URI.create("http://ann@host:8080"), "AK", "s"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
