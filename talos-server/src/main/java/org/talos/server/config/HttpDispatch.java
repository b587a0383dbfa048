// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** What a Jetty worker does while storage works: {@code http.dispatch}. */
public enum HttpDispatch {
    /** Nothing: it takes the next request. */
    ASYNC,
    /** Waits for the answer, as servers before it did; only to measure what that costs. */
    BLOCKING
}
