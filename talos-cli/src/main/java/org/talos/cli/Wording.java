// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.regex.Pattern;
import org.talos.client.TalosClientException;

/**
 * Says a server's refusal with the words of the command line. Servers name the fields of the protocol, and some of
 * their words have to stay as they are, because public SDKs search for them. Immutable.
 */
final class Wording {
    private static final String OF_THE_CODE = "INVALID_TOPIC_PARAMS: "; // is useless, and misleading for a user
    private static final Pattern RETENTION = Pattern.compile("messageRetentionSecs: (-?\\d+) \\(expected: [^)]*\\)");
    private static final Pattern PARTITIONS =
            Pattern.compile("partitionNumber: (-?\\d+) \\(expected: (\\d+)\\.\\.(\\d+)\\)");
    private static final Pattern OUT_OF_RANGE = Pattern.compile("\\bMessage out range\\b");
    private static final Pattern ORG = Pattern.compile("\\borgId: a name that begins with CL\\b");

    private Wording() {}

    /** Returns the sentence for a failed call. */
    static String of(TalosClientException failure) {
        return of(String.valueOf(failure.getMessage()));
    }

    static String of(String sentence) {
        String plain = sentence.startsWith(OF_THE_CODE) ? sentence.substring(OF_THE_CODE.length()) : sentence;
        plain = RETENTION.matcher(plain).replaceAll("--retention: $1 s (expected: 1h to 365d)");
        plain = PARTITIONS.matcher(plain).replaceAll("--partitions: $1 (expected: $2 to $3)");
        plain = OUT_OF_RANGE.matcher(plain).replaceAll("offset out of range");
        return ORG.matcher(plain).replaceAll("the name of an org begins with CL");
    }
}
