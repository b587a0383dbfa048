// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.auth.Principal;

/** Who makes a control-plane call, and with what. Immutable. */
record Caller(Principal principal, String userAgent) {}
