// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/** Rights to a topic; each includes the right to describe it. */
public enum Right {
    /** To put messages. */
    PUT,
    /** To get messages. */
    GET
}
