// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The permissions of one grantee on a topic. Immutable.
 *
 * @param grantee a user, team or org
 * @param mayPut whether it may put messages
 * @param mayGet whether it may get messages
 */
public record TopicRight(String grantee, boolean mayPut, boolean mayGet) {}
