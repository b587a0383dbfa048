// SPDX-License-Identifier: Apache-2.0
/**
 * Spans of requests, by the API of OpenTelemetry: what records and sends them is the operator's agent, and without one
 * nothing of this costs anything. Entry type: {@link org.talos.server.tracing.Tracing}.
 */
@NullMarked
package org.talos.server.tracing;

import org.jspecify.annotations.NullMarked;
