// SPDX-License-Identifier: Apache-2.0
/**
 * Spans of requests, by the API of OpenTelemetry. The operator's agent records and sends them; without an agent, spans
 * cost nothing. Entry type: {@link org.talos.server.tracing.Tracing}.
 */
@NullMarked
package org.talos.server.tracing;

import org.jspecify.annotations.NullMarked;
