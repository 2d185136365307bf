/** Greets the first argument, or everybody. */
class Hello {
    public static void main(String[] words) {
        System.out.println("Hello, " + (words.length > 0 ? words[0] : "everybody") + "!");
    }
}
