// SPDX-License-Identifier: Apache-2.0
/**
 * The Thrift services: validation, calls, and how failures become answers. Decodes on the caller's thread, runs what
 * may block on the executor, does no I/O of its own.
 */
@NullMarked
package org.talos.server.service;

import org.jspecify.annotations.NullMarked;
