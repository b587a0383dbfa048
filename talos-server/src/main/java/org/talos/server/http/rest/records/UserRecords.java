// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;

/** Users and their keys, for administrators. Immutable. */
public final class UserRecords {
    private UserRecords() {}

    /** The key before the last rotation. Immutable. */
    public record OldKey(
            String accessKey,
            @Described("From then on it is refused.") Instant until) {}

    /** A user without secrets. Immutable. */
    @Schema(closed = true)
    public record User(
            String user,
            String accessKey,
            boolean admin,
            List<String> orgs,
            List<String> teams,
            @Described("Milliseconds since 1970.") long createdAt,

            @Described("The key before the last rotation, while it still holds.")
            Optional<OldKey> oldKey) {}

    /** A user with the secret of a new key. Immutable; its text has no secret. */
    @Schema(closed = true)
    public record UserWithSecret(
            @Inlined User user,
            @Described("Shown here and never again.") String secretKey) {
        @Override
        public String toString() {
            return "UserWithSecret[" + user.user() + "]";
        }
    }

    /** All users. Immutable. */
    @Schema(closed = true)
    public record Users(List<User> users) {}

    /** A user to make. Immutable. */
    @Schema(closed = true)
    public record NewUser(
            @Described(pattern = "^(?!_)(?!-)(?!CL)(?!CI)(?!.*_$)[a-zA-Z0-9_-]{1,80}$")
            String user,

            @Described(usual = "false") Optional<Boolean> admin,
            @Described("Each begins with CL.") Optional<List<String>> orgs,
            @Described("Each begins with CI.") Optional<List<String>> teams,

            @Described(
                    value = "A key that the user has already, with its secretKey; a new one if both are missing.",
                    pattern = "^[A-Za-z0-9._-]{4,100}$")
            Optional<String> accessKey,

            @Described(pattern = "^[!-~]{16,200}$") Optional<String> secretKey) {}

    /** The terms on which a key is replaced. Immutable. */
    @Schema(closed = true)
    public record KeyRotation(
            @Described(value = "The time for which the old key stays valid.", min = 0, max = 2592000, usual = "0")
            OptionalInt graceSeconds) {}
}
