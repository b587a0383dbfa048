// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;

/**
 * Finds out whose key has signed a request. Three steps: {@link #authenticate}, then {@link #checkDigest}, so that the
 * sender is known when a change is refused, and {@link #verifyBody} once the body has come.
 *
 * <p>An unknown key costs the same work and gets the same answer as a wrong signature. The clock is compared after the
 * signature, so only the holder of a key learns anything from it. A signature may arrive twice: the SDKs send equal
 * requests within one second.
 *
 * <p>Thread-safe. Never blocks.
 */
public final class Authenticator {
    private static final String WRONG = "The key is not known or the signature is wrong.";
    private static final String CHANGED =
            "The query and the headers are not those that were signed in the X-Xiaomi-Request-Digest header.";

    /** The secret for unknown keys: signed with like any other, and never accepted. */
    private static final String NOBODYS_SECRET = "0123456789012345678901234567890123456789";

    /** Secrets are compared as digests of equal length, so the time does not show how much of a secret was right. */
    private static final String COMPARED_UNDER = "secrets are compared under this text";

    private static final int MOST_DIGITS = 18; // no difference of two such numbers leaves a long

    private final KeyTable keys;
    private final InstantSource clock;
    private final long toleranceSeconds;
    private final Hmac hmac;

    /** Accepts timestamps at most {@code tolerance} away from the clock, in either direction. */
    public Authenticator(KeyTable keys, InstantSource clock, Duration tolerance) {
        this(keys, clock, tolerance, RequestSignature::hmac);
    }

    Authenticator(KeyTable keys, InstantSource clock, Duration tolerance, Hmac hmac) {
        this.keys = keys;
        this.clock = clock;
        this.toleranceSeconds = tolerance.toSeconds();
        this.hmac = hmac;
    }

    /**
     * Returns the principal that signed the path and the headers of the signature. The body is not verified yet, nor is
     * anything that {@link #checkDigest} checks.
     *
     * @throws AuthenticationException 401: no or wrong credentials; 412: the client's clock
     */
    public Principal authenticate(SignedRequest request) throws AuthenticationException {
        Authorization claimed = authorization(request);
        Optional<KeyTable.Entry> key = keys.key(claimed.keyId());
        String text =
                RequestSignature.stringToSign(request.method(), request.path(), request.query(), request.headers());
        byte[] expected = hmac.of(key.map(KeyTable.Entry::secret).orElse(NOBODYS_SECRET), text);
        boolean matches = RequestSignature.matches(expected, claimed.signature());
        if (!matches || key.isEmpty()) {
            throw AuthenticationException.unauthorized(WRONG);
        }
        checkClock(request);
        Principal signer = key.get().principal();
        return request.hasAttachedInfo() ? onBehalf(request, signer) : signer;
    }

    /**
     * Returns the principal of a key and secret that are sent in the clear, for encrypted or local connections. Takes
     * the same time for an unknown key.
     *
     * @throws AuthenticationException 401
     */
    public Principal authenticate(String keyId, String secret) throws AuthenticationException {
        Optional<KeyTable.Entry> key = keys.key(keyId);
        byte[] expected =
                hmac.of(COMPARED_UNDER, key.map(KeyTable.Entry::secret).orElse(NOBODYS_SECRET));
        boolean matches = MessageDigest.isEqual(expected, hmac.of(COMPARED_UNDER, secret));
        if (!matches || key.isEmpty()) {
            throw AuthenticationException.unauthorized("The access key is unknown or the secret is wrong.");
        }
        return key.get().principal();
    }

    /**
     * The sender as it is known now, for requests that continue after they have been authenticated: its rights may be
     * others by then.
     *
     * @throws AuthenticationException 401: the key was removed, belongs to another user now, or may no longer act for a
     *     developer
     */
    public Principal stillKnown(Principal principal) throws AuthenticationException {
        Optional<Principal> now = keys.key(principal.keyId())
                .map(KeyTable.Entry::principal)
                .map(signer -> principal.actingFor() == null ? signer : onBehalf(principal.actingFor(), signer))
                .filter(known -> known.userId().equals(principal.userId()));
        return now.orElseThrow(() -> AuthenticationException.over("The key is not known any more."));
    }

    private static Authorization authorization(SignedRequest request) throws AuthenticationException {
        @Nullable String header = request.single(RequestSignature.AUTHORIZATION);
        return Optional.ofNullable(header)
                .flatMap(Authorization::parse)
                .orElseThrow(() -> AuthenticationException.unauthorized(
                        "One Authorization header that signs the request is needed."));
    }

    private void checkClock(SignedRequest request) throws AuthenticationException {
        long skew = Math.abs(clock.instant().getEpochSecond() - timestamp(request));
        if (skew > toleranceSeconds) {
            throw AuthenticationException.tooSkewed(
                    "The request's timestamp is more than " + toleranceSeconds + " s from the server's clock.");
        }
    }

    private static long timestamp(SignedRequest request) throws AuthenticationException {
        @Nullable String text = request.single(RequestSignature.TIMESTAMP);
        if (text == null || !isSeconds(text)) {
            throw AuthenticationException.notAsSigned(
                    "One X-Xiaomi-Timestamp header with seconds since 1970 is needed.");
        }
        return Long.parseLong(text);
    }

    private static boolean isSeconds(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= MOST_DIGITS;
    }

    private Principal onBehalf(SignedRequest request, Principal signer) {
        @Nullable String info = request.single(RequestSignature.ATTACHED_INFO);
        return onBehalf(info == null ? "" : info.trim(), signer);
    }

    private Principal onBehalf(String developer, Principal signer) {
        return signer.actFor(developer, keys.user(developer).orElse(null));
    }

    /**
     * Checks that the query and the headers are the signed ones, if there is a {@link RequestDigest}. Call it with the
     * authenticated request, before any of its work is done.
     *
     * @throws AuthenticationException 401
     */
    public static void checkDigest(SignedRequest request) throws AuthenticationException {
        if (!request.hasDigest()) {
            return;
        }
        @Nullable String digest = request.single(RequestDigest.HEADER);
        if (digest == null || !RequestDigest.matches(digest, request.query(), request.headers())) {
            throw AuthenticationException.notAsSigned(CHANGED);
        }
    }

    /**
     * Checks that the body is the one whose MD5 was signed. To be called with the request that has been authenticated,
     * before the body is used.
     *
     * @throws AuthenticationException 401
     */
    public static void verifyBody(SignedRequest request, byte[] md5) throws AuthenticationException {
        @Nullable String header = request.single(RequestSignature.CONTENT_MD5);
        if (header == null || !RequestSignature.md5Matches(header, md5)) {
            throw AuthenticationException.notAsSigned(
                    "The body's MD5 is not the one in the X-Xiaomi-Content-MD5 header.");
        }
    }

    /** Signs a text; exchanged in tests that count. */
    @FunctionalInterface
    interface Hmac {
        byte[] of(String secret, String text);
    }
}
