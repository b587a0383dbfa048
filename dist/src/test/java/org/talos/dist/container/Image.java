// SPDX-License-Identifier: Apache-2.0
package org.talos.dist.container;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The containers of an image, as its Dockerfile describes them. Immutable.
 *
 * @param environment {@code NAME=VALUE}
 * @param command the entry point with its arguments
 * @param health what succeeds in a healthy container
 */
record Image(List<String> environment, List<String> command, List<String> health) {
    private static final JsonMapper JSON = new JsonMapper();

    /** Reads one whose instructions have no shell form, and whose values have no spaces. */
    static Image of(Path dockerfile) throws IOException {
        String text =
                Files.readString(dockerfile).replaceAll("(?m)^ *#.*\n", "").replaceAll("\\\\\n *", "");
        return new Image(
                List.of(found("ENV (.*)", text).split(" +")),
                Stream.concat(words(found("ENTRYPOINT (.*)", text)).stream(), words(found("CMD (.*)", text)).stream())
                        .toList(),
                words(found("HEALTHCHECK .* CMD (.*)", text)));
    }

    private static String found(String instruction, String text) {
        Matcher found = Pattern.compile("(?m)^" + instruction + "$").matcher(text);
        if (!found.find()) {
            throw new IllegalArgumentException("no " + instruction + " in " + text);
        }
        return found.group(1);
    }

    private static List<String> words(String array) throws IOException {
        return JSON.readValue(array, new TypeReference<>() {});
    }

    /** Bash's names for it. */
    String assignments() {
        return array("image_environment", environment)
                + array("image_command", command)
                + array("image_health", health);
    }

    private static String array(String name, List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", name + "=(", ")\n"));
    }
}
