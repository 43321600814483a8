package dev.latchkey.guard;

/**
 * Why a request was answered with 503. It never has the key.
 *
 * @param code such as UNAVAILABLE, DEADLINE_EXCEEDED or UNREADABLE_ANSWER
 * @param message for people
 * @param requestId the request that failed
 */
public record Failure(String code, String message, String requestId) {}
