// SPDX-License-Identifier: Apache-2.0
/** REST: routes, JSON, problems. Everything it does for a client goes through {@code service.Operations}. */
@NullMarked
package org.talos.server.http.rest;

import org.jspecify.annotations.NullMarked;
