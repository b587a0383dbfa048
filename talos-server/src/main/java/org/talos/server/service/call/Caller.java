// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.talos.server.auth.Principal;

/**
 * Who makes a control-plane call, and with what. Immutable.
 *
 * @param memory for the answer
 */
public record Caller(Principal principal, String userAgent, AnswerMemory memory) {}
