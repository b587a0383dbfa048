// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.client.consumer.FetchedMessage;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options for which messages are printed: those in whose text a regular expression is found. It is one of RE2, so
 * none takes longer than the text is long.
 *
 * <p>Confined: the main thread.
 */
public final class MessageFilter {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = "--grep",
            paramLabel = "REGEX",
            description = "Print only messages in whose text this is found, as by grep -E; --count counts these")
    private Optional<String> wanted = Optional.empty();

    @Option(
            names = {"-i", "--ignore-case"},
            description = "With --grep: capital and small letters are the same")
    private boolean ignoreCase;

    private @Nullable Pattern pattern;

    /** Whether messages are passed over. */
    boolean isGiven() {
        return wanted.isPresent();
    }

    /**
     * Refuses what can't be filtered by.
     *
     * @throws ParameterException no regular expression, or none to ignore the case of
     */
    public void check() {
        if (wanted.isEmpty() && ignoreCase) {
            throw new ParameterException(command.commandLine(), "--ignore-case is for --grep");
        }
        try {
            pattern = wanted.map(regex -> Pattern.compile(regex, ignoreCase ? Pattern.CASE_INSENSITIVE : 0))
                    .orElse(null);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "--grep: '" + wanted.orElse("") + "' is no regular expression of RE2: " + e.getDescription(),
                    e);
        }
    }

    /** Whether a message is wanted. To be called after {@link #check}. */
    boolean passes(FetchedMessage message) {
        Pattern regex = pattern;
        // As text: in bytes RE2 believes one that begins a letter of UTF-8, and steps over those that are not its rest.
        return regex == null || regex.matcher(message.text()).find();
    }
}
