// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.talos.common.auth.RequestSignature;

/**
 * Benchmarks the processor time of signing a call: at the client, at the server, and of the body's MD5, which both
 * include.
 *
 * <p>Confined: JMH.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Signing {
    private static final String SECRET = "dGhlIHNlY3JldCBvZiBhIGJlbmNobWFyaw==";
    private static final String PATH = "/v1/api/message";
    private static final String DATE = "Fri, 20 Nov 2026 12:00:00 GMT";
    private static final String TIMESTAMP = "1795176000";
    private static final String CONTENT_TYPE = "application/x-thrift-compact";

    @Param("10240")
    int bodyBytes;

    private byte[] body;
    private Map<String, List<String>> headers;
    private String claimedMd5;
    private String signature;

    /** A body that has been signed. */
    @Setup
    public void prepare() {
        body = new byte[bodyBytes];
        new SplittableRandom(1).nextBytes(body);
        claimedMd5 = RequestSignature.md5Hex(body);
        Map<String, List<String>> signed = signedHeaders();
        signature = RequestSignature.sign(SECRET, RequestSignature.stringToSign("POST", PATH, null, signed));
        headers = new HashMap<>();
        signed.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        headers.put("host", List.of("127.0.0.1:8080"));
        headers.put("content-length", List.of(Integer.toString(bodyBytes)));
        if (!verify()) {
            throw new IllegalStateException("the server would refuse the measured requests");
        }
    }

    private Map<String, List<String>> signedHeaders() {
        return Map.of(
                "content-type",
                List.of(CONTENT_TYPE),
                RequestSignature.CONTENT_MD5,
                List.of(RequestSignature.md5Hex(body)),
                RequestSignature.DATE,
                List.of(DATE),
                RequestSignature.TIMESTAMP,
                List.of(TIMESTAMP));
    }

    /** Signs a call, as the client does. */
    @Benchmark
    public String sign() {
        return RequestSignature.sign(
                SECRET, RequestSignature.stringToSign("POST", PATH, "id=1a2b3c4d&type=putMessage", signedHeaders()));
    }

    /** Verifies a call with its whole body, as the server does. */
    @Benchmark
    public boolean verify() {
        String text = RequestSignature.stringToSign("POST", PATH, "id=1a2b3c4d&type=putMessage", headers);
        boolean known = RequestSignature.matches(RequestSignature.hmac(SECRET, text), signature);
        return known && RequestSignature.md5Matches(claimedMd5, RequestSignature.md5(body));
    }

    /** Hashes the body, which both sides do. */
    @Benchmark
    public byte[] bodyMd5() {
        return RequestSignature.md5(body);
    }
}
