// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.function.Supplier;
import org.talos.server.auth.Principal;

/**
 * The caller of a request, after its authentication. Immutable.
 *
 * @param principal the caller, as known when the request came
 * @param known the caller, checked at each call: fails with INVALID_AUTH_INFO once the caller's key or session has
 *     ended
 */
public record KnownCaller(Principal principal, Supplier<Principal> known, ClientInfo client) {}
